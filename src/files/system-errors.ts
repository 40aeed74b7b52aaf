// Describes system errors in words that fit after a colon.

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its symbolic links lead in a circle',
  EIO: 'the disk reports an error',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder',
};

/** The system's code of an error, such as `ENOSPC`; empty if it has none. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}

export function describeSystemError(error: unknown): string {
  return describeErrorCode(errorCode(error)) || String(error);
}

/** The code itself if there is no description. */
export function describeErrorCode(code: string): string {
  return WORDS[code] ?? code;
}

// The files that a patch in the format of Codex and opencode would write.

/** The clients ignore blanks around headers. */
const TARGET = /^[ \t]*\*\*\* (?:Add File|Update File|Delete File|Move to):(.+)$/gm;

export function patchTargets(patch: string): string[] {
  return [...patch.matchAll(TARGET)].map(([, file]) => (file as string).trim());
}

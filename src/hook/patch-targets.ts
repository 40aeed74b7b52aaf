// The files that a patch would write, in the form that Codex and opencode apply.

/** Those who apply a patch overlook blanks around its headers. */
const TARGET = /^[ \t]*\*\*\* (?:Add File|Update File|Delete File|Move to):(.+)$/gm;

export function patchTargets(patch: string): string[] {
  return [...patch.matchAll(TARGET)].map(([, file]) => (file as string).trim());
}

// Whether a client already has deepwork for all of a user's projects: as a plugin of Claude Code, or
// as an extension of Gemini CLI. A server and hooks in the project would be a second copy.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getNodeValue } from 'jsonc-parser';
import { readJsonText } from './json-text.ts';

const CLAUDE_SETTINGS = '.claude/settings.json';
const CLAUDE_LOCAL_SETTINGS = '.claude/settings.local.json';
const GEMINI_EXTENSION = '.gemini/extensions/deepwork';

/** The file or folder that says so, such as `~/.claude/settings.json`; null if there is none. */
export function pluginOf(id: string, root: string, home: string): string | null {
  switch (id) {
    case 'claude':
      if (hasPlugin(path.join(home, CLAUDE_SETTINGS))) return `~/${CLAUDE_SETTINGS}`;
      // It can be enabled for one project as well.
      return (
        [CLAUDE_SETTINGS, CLAUDE_LOCAL_SETTINGS].find((file) => hasPlugin(path.join(root, file))) ??
        null
      );
    case 'gemini': {
      const manifest = path.join(home, GEMINI_EXTENSION, 'gemini-extension.json');
      return existsSync(manifest) ? `~/${GEMINI_EXTENSION}` : null;
    }
    default:
      return null;
  }
}

function hasPlugin(settings: string): boolean {
  let read: ReturnType<typeof readJsonText>;
  try {
    read = readJsonText(readFileSync(settings, 'utf8').replace(/^\ufeff/, ''));
  } catch {
    return false;
  }
  if (read.kind === 'problem' || read.root === null) return false;
  const { enabledPlugins } = getNodeValue(read.root) as { enabledPlugins?: unknown };
  if (typeof enabledPlugins !== 'object' || enabledPlugins === null) return false;
  return Object.entries(enabledPlugins).some(
    ([name, isOn]) => name.startsWith('deepwork@') && isOn === true,
  );
}

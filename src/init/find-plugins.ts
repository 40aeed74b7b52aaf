// Whether a client already has deepwork for all of a user's projects: as a plugin of Claude Code, or
// as an extension of Gemini CLI. A server and hooks in the project would be a second copy.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { getNodeValue } from 'jsonc-parser';
import { readLinkedText, readProjectText } from '../files/read-contained.ts';
import { readJsonText } from './json-nodes.ts';

const CLAUDE_SETTINGS = '.claude/settings.json';
const CLAUDE_LOCAL_SETTINGS = '.claude/settings.local.json';
const MAX_BYTES = 1024 * 1024;
const GEMINI_EXTENSION = '.gemini/extensions/deepwork';

/** The file or folder that says so, such as `~/.claude/settings.json`; null if there is none. */
export function pluginOf(id: string, root: string, home: string): string | null {
  switch (id) {
    case 'claude':
      if (hasPlugin(readLinkedText(path.join(home, CLAUDE_SETTINGS), MAX_BYTES)))
        return `~/${CLAUDE_SETTINGS}`;
      // It can be enabled for one project as well.
      return (
        [CLAUDE_SETTINGS, CLAUDE_LOCAL_SETTINGS].find((file) =>
          hasPlugin(readProjectText(root, path.join(root, file), MAX_BYTES)),
        ) ?? null
      );
    case 'gemini': {
      const manifest = path.join(home, GEMINI_EXTENSION, 'gemini-extension.json');
      return existsSync(manifest) ? `~/${GEMINI_EXTENSION}` : null;
    }
    default:
      return null;
  }
}

function hasPlugin(settings: string | null): boolean {
  if (settings === null) return false;
  const read = readJsonText(settings.replace(/^\ufeff/, ''));
  if (read.kind === 'problem' || read.root === null) return false;
  const { enabledPlugins } = getNodeValue(read.root) as { enabledPlugins?: unknown };
  if (typeof enabledPlugins !== 'object' || enabledPlugins === null) return false;
  return Object.entries(enabledPlugins).some(
    ([name, isOn]) => name.startsWith('deepwork@') && isOn === true,
  );
}

// A home for one turn of Gemini CLI. The client has no option for an MCP server, and reads the
// system's settings, which could name one, only from files that root owns. So it gets a home of its
// own (`GEMINI_CLI_HOME`), which links to everything of the user's, sign-in and conversations
// included; only the settings are a copy, with the server added.

import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord, jsonObjectIn } from '../core/is-record.ts';
import { homeOf } from '../environment/home.ts';
import { readSmallText } from '../files/read-contained.ts';

const FOLDER = '.gemini';
const SETTINGS = 'settings.json';
const MAX_SETTINGS_BYTES = 1024 * 1024;
/** What else it reads from a home. */
const OTHER_ENTRIES = ['.env', '.agents'];
/** Where it keeps conversations. Created if it is missing: they outlast a turn. */
const CONVERSATIONS = 'tmp';

/** Fills the folder; `server` is an entry of `mcpServers`. */
export function fillGeminiHome(
  home: string,
  env: NodeJS.ProcessEnv,
  name: string,
  server: object,
): void {
  const userHome = env.GEMINI_CLI_HOME || homeOf(env);
  const [folder, userFolder] = [path.join(home, FOLDER), path.join(userHome, FOLDER)];
  mkdirSync(folder, { mode: 0o700 });
  mkdirSync(path.join(userFolder, CONVERSATIONS), { recursive: true });
  for (const entry of readdirSync(userFolder)) {
    if (entry !== SETTINGS) symlinkSync(path.join(userFolder, entry), path.join(folder, entry));
  }
  for (const entry of OTHER_ENTRIES) {
    const target = path.join(userHome, entry);
    if (existsSync(target)) symlinkSync(target, path.join(home, entry));
  }
  const text = readSmallText(path.join(userFolder, SETTINGS), MAX_SETTINGS_BYTES) ?? '{}';
  writeFileSync(path.join(folder, SETTINGS), withServer(text, name, server), { mode: 0o600 });
}

/** Invalid settings stay as they are: the client reports what is wrong with them. */
function withServer(text: string, name: string, server: object): string {
  const settings = parsed(text);
  if (settings === null) return text;
  const { mcpServers } = settings;
  const servers = isRecord(mcpServers) ? mcpServers : {};
  return JSON.stringify({ ...settings, mcpServers: { ...servers, [name]: server } });
}

/** Strings, which may contain what looks like a comment, and comments, which the client allows. */
const STRINGS_AND_COMMENTS = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  const plain = text.replace(STRINGS_AND_COMMENTS, (each) => (each.startsWith('"') ? each : ''));
  return jsonObjectIn(plain);
}

// A home for one turn of Gemini CLI. It has no option for a server, and the settings of the system,
// which could name one, it reads only from files that belong to root. So it gets a home of its own
// (`GEMINI_CLI_HOME`), where everything is the user's by links, sign-in and conversations included;
// only the settings are a copy, with the server added.

import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readSmallText } from '../files/read-contained.ts';

const FOLDER = '.gemini';
const SETTINGS = 'settings.json';
const SETTINGS_LIMIT = 1024 * 1024;
/** What else it looks for in a home. */
const BESIDE = ['.env', '.agents'];
/** Where it keeps conversations. Made if it is not there, as the client would: they outlast a turn. */
const CONVERSATIONS = 'tmp';

/** Fills the folder; `server` is an entry of `mcpServers`. */
export function fillGeminiHome(home: string, name: string, server: object): void {
  const user = process.env.GEMINI_CLI_HOME || os.homedir();
  const [own, of] = [path.join(home, FOLDER), path.join(user, FOLDER)];
  mkdirSync(own, { mode: 0o700 });
  mkdirSync(path.join(of, CONVERSATIONS), { recursive: true });
  for (const entry of readdirSync(of)) {
    if (entry !== SETTINGS) symlinkSync(path.join(of, entry), path.join(own, entry));
  }
  for (const entry of BESIDE) {
    const there = path.join(user, entry);
    if (existsSync(there)) symlinkSync(there, path.join(home, entry));
  }
  const text = readSmallText(path.join(of, SETTINGS), SETTINGS_LIMIT) ?? '{}';
  writeFileSync(path.join(own, SETTINGS), withServer(text, name, server), { mode: 0o600 });
}

/** Text that is no settings is left as it is: the client says what is wrong with it. */
function withServer(text: string, name: string, server: object): string {
  const settings = parsed(text);
  if (settings === null) return text;
  const { mcpServers } = settings;
  const servers = isObject(mcpServers) ? mcpServers : {};
  return JSON.stringify({ ...settings, mcpServers: { ...servers, [name]: server } });
}

/** Strings, in which nothing is a comment, and comments, which the client allows. */
const STRINGS_AND_COMMENTS = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  const plain = text.replace(STRINGS_AND_COMMENTS, (each) => (each.startsWith('"') ? each : ''));
  try {
    const value: unknown = JSON.parse(plain);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Replaces what differs from machine to machine and from run to run: folders, ids, ports, process ids,
// hashes of what contains them, durations, and the version. Everything keeps its length if it stands
// in text that is wrapped or lined up.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../src/version.ts';
import { SHOWN } from './stage.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

export function normalize(text: string): string {
  return inOrder(
    setAsideNames(text)
      .replaceAll(/\u001b\[(\d+)m/g, '‹$1›')
      .replaceAll(/\b[0-9a-f]{64}\b/g, (hash) => 'f'.repeat(hash.length))
      // What doctor finds on this machine.
      .replaceAll(/\bNode \d+\.\d+\.\d+/g, 'Node 20.19.0')
      .replaceAll(/\d+ [GT]iB free/g, '80 GiB free')
      // Each reading of the clock is later than the one before.
      .replaceAll(/(?<=:\d\d)\.\d{3}Z/g, '.000Z')
      // How long a check took.
      .replaceAll(/\(\d[\d.]* (?:ms|s|min)\)/g, '(0.1 s)')
      .replaceAll(/(?:\/private)?\/tmp\/d+[A-Za-z0-9]{6}(?=\b|\/)/g, (found) =>
        found.length === SHOWN.length ? SHOWN : found,
      )
      .replaceAll(REPOSITORY, '<deepwork>')
      .replaceAll(process.execPath, '<node>')
      .replaceAll(path.dirname(process.execPath), '<bin>')
      .replaceAll(process.version, '<node version>')
      .replaceAll(VERSION, 'X.Y.Z')
      .replaceAll(/\b(process|pid) \d+\b/g, '$1 4711')
      // What JSON.parse says depends on the version of Node.
      .replaceAll(/(response as JSON: )(?:Unexpected|Expected|Bad|Unterminated).*/g, '$1<reason>')
      .replaceAll(/^(\S+ claude start: ).*JSON.*/gm, '$1<reason>')
      .replaceAll(/(is not JSON: ).*(JSON|position).*/g, '$1<reason>')
      .replaceAll(/127\.0\.0\.1:\d{5}\b/g, '127.0.0.1:54321')
      .replaceAll(/[ \t]+$/gm, ''),
  );
}

/** Ids by the order in which they appear. */
function inOrder(text: string): string {
  const names = new Map<string, string>();
  return text.replaceAll(
    /(?<![0-9A-Za-z#-])(?=[0-9a-f]*\d)(?:[0-9a-f]{16}|[0-9a-f]{8})(?![0-9A-Za-z]|-(?!2026))/g,
    (id) => {
      const name = names.get(id) ?? `1d${String(names.size + 1).padStart(id.length - 2, '0')}`;
      names.set(id, name);
      return name;
    },
  );
}

/** The random end of the name of what was set aside, also if a line breaks within it. */
function setAsideNames(text: string): string {
  return text.replaceAll(
    /(\d{8}T\d{9}Z-)([0-9a-f]+(?:\n *[0-9a-f]+)?)(?=\.json)/g,
    (_, start, end) => {
      return start + end.replaceAll(/[0-9a-f]/g, 'x');
    },
  );
}

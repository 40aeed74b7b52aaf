// Where the server of a workspace is found. Servers register in the user's home, never in
// the project: a cloned repository must not be able to name a server.
//
//   ~/.deepwork/servers/<hash of the project>/<n>.json     the n-th server to register
//
// The highest number counts. A file is written completely and then linked to its number,
// which fails if the number is taken: if ten servers start at once, one wins, without a lock
// that could be left behind. A file says where a server was; only asking it shows whether it
// still runs. An unusable file keeps its number like that of a dead server, so that all
// servers that start next agree on the following number; then it is removed in the same way.

import { createHash, randomBytes } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { readSmallText } from '../files/read-contained.ts';

export interface Registration {
  readonly number: number;
  readonly url: string;
  /** A secret that the server and its launches prove to each other; never sent. */
  readonly pass: string;
  /** Started by a launch, not by a person. */
  readonly launched: boolean;
}

export interface Registry {
  /** Where the files are, for messages to a person. */
  readonly folder: string;
  /** The file of the registration with this number. */
  fileOf(number: number): string;
  /** The registration that counts; null if there has never been one. */
  current(): Registration | null;
  /** Registers with the next number; null if another server was first. */
  add(after: number, server: Omit<Registration, 'number'>): Registration | null;
}

const MAX_FILE_BYTES = 64 * 1024;
const MAX_NUMBER = 999_999_999;
const URL_OF_SERVER = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}$/;
const PASS = /^[\x21-\x7e]{1,512}$/;

export function openRegistry(projectRoot: string, home: string): Registry {
  const key = createHash('sha256').update(realpathSync(projectRoot)).digest('hex').slice(0, 32);
  const folder = path.join(home, '.deepwork', 'servers', key);
  const fileOf = (number: number) => path.join(folder, `${number}.json`);

  function numbers(): number[] {
    try {
      return readdirSync(folder)
        .map((name) => Number(/^([1-9]\d{0,8})\.json$/.exec(name)?.[1]))
        .filter((number) => !Number.isNaN(number))
        .sort((one, other) => other - one);
    } catch {
      return [];
    }
  }

  return {
    folder,
    fileOf,
    current() {
      const [number] = numbers();
      if (number === undefined) return null;
      return readRegistration(number, readSmallText(fileOf(number), MAX_FILE_BYTES) ?? '');
    },
    add(after, { url, pass, launched }) {
      const number = after + 1;
      if (number > MAX_NUMBER)
        throw new Error(`the numbers in ${folder} are used up. Remove the folder`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const whole = path.join(folder, `new-${randomBytes(6).toString('hex')}`);
      writeFileSync(whole, JSON.stringify({ url, pass, launched }), { mode: 0o600, flag: 'wx' });
      try {
        linkSync(whole, fileOf(number));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
        throw error;
      } finally {
        rmSync(whole, { force: true });
      }
      const all = numbers();
      // A process that read the folder long ago may have linked a number that was removed since.
      if (all[0] !== number) {
        rmSync(fileOf(number), { force: true });
        return null;
      }
      // The highest stays, so numbers never start over.
      for (const older of all.slice(1)) clear(folder, older);
      return { number, url, pass, launched };
    },
  };
}

/** The log of a launched server is beside its registration. */
export function logFileOf(folder: string, number: number): string {
  return path.join(folder, `${number}.log`);
}

/** The log of the server that was launched last; null if there is nothing in it. */
export function launchedLog({ folder, current }: Registry): string | null {
  const last = current();
  if (last === null || !last.launched) return null;
  const file = logFileOf(folder, last.number);
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0 ? file : null;
}

function clear(folder: string, number: number): void {
  for (const file of [path.join(folder, `${number}.json`), logFileOf(folder, number)]) {
    rmSync(file, { recursive: true, force: true });
  }
}

/** An invalid file counts as a server that cannot be reached. */
function readRegistration(number: number, text: string): Registration {
  const unreachable = { number, url: '', pass: '', launched: false };
  try {
    const { url, pass, launched } = JSON.parse(text) as Record<string, unknown>;
    if (typeof url !== 'string' || typeof pass !== 'string') return unreachable;
    const fits = URL_OF_SERVER.test(url) && URL.canParse(url) && PASS.test(pass);
    return fits ? { number, url, pass, launched: launched === true } : unreachable;
  } catch {
    return unreachable;
  }
}

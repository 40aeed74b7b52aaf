// Where the server of a workspace is found. Servers register in the user's home, never
// in the project: a cloned repository must not be able to name one.
//
//   ~/.deepwork/servers/<hash of the project>/<n>.json     the n-th server to register
//
// The highest number is the one that counts. A file is made whole and then linked to its
// number, which fails if somebody else has that number already: so of ten servers that
// start at once one wins, without a lock that could be left behind. A file says where a
// server was; whether it still is there is found out by asking it. What lies there and
// cannot be used keeps its number, as if of a dead server, so that all who come next agree
// on the number after it; then it is cleared away like one.

import { createHash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readSmallText } from '../files/read-contained.ts';

export interface Registration {
  readonly number: number;
  readonly url: string;
  /** What the server and its owner's launches show each other to know; never sent by them. */
  readonly pass: string;
  /** Started by a launch, not by a person. */
  readonly launched: boolean;
}

export interface Registry {
  /** Where the files are, for messages to a person. */
  readonly folder: string;
  /** Where the registration of this number is kept. */
  fileOf(number: number): string;
  /** The one that counts; null: none ever registered. */
  current(): Registration | null;
  /** Registers after the given number; null: another server was first. */
  add(after: number, server: Omit<Registration, 'number'>): Registration | null;
}

const LIMIT = 64 * 1024;
const MOST = 999_999_999;
const URL_OF_SERVER = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}$/;
const PASS = /^[\x21-\x7e]{1,512}$/;

export function openRegistry(projectRoot: string, home = os.homedir()): Registry {
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
      return readRegistration(number, readSmallText(fileOf(number), LIMIT) ?? '');
    },
    add(after, { url, pass, launched }) {
      const number = after + 1;
      if (number > MOST) throw new Error(`the numbers in ${folder} are used up. Remove it`);
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
      // Whoever looked long ago may have linked a number that had been cleared away.
      if (all[0] !== number) {
        rmSync(fileOf(number), { force: true });
        return null;
      }
      // The highest always stays, so the numbers never begin anew.
      for (const older of all.slice(1)) clear(folder, older);
      return { number, url, pass, launched };
    },
  };
}

/** The log of a server that a launch started lies beside its registration. */
export function logFileOf(folder: string, number: number): string {
  return path.join(folder, `${number}.log`);
}

function clear(folder: string, number: number): void {
  for (const file of [path.join(folder, `${number}.json`), logFileOf(folder, number)]) {
    rmSync(file, { recursive: true, force: true });
  }
}

/** A file that names no server on this machine names one that cannot be reached. */
function readRegistration(number: number, text: string): Registration {
  const nobody = { number, url: '', pass: '', launched: false };
  try {
    const { url, pass, launched } = JSON.parse(text) as Record<string, unknown>;
    if (typeof url !== 'string' || typeof pass !== 'string') return nobody;
    const fits = URL_OF_SERVER.test(url) && URL.canParse(url) && PASS.test(pass);
    return fits ? { number, url, pass, launched: launched === true } : nobody;
  } catch {
    return nobody;
  }
}

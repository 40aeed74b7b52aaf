// Keeps `.sgai/state.json` in step with the team: our fields as in the journal, everyone
// else's unchanged. Our stamp, `deepwork`, holds the event at which the fields were written
// and a checksum of them. With it every process can tell an older view of ours, which is
// simply replaced, from a change by someone else, whose bytes are kept in `.sgai/foreign`
// before the journal's values are restored.

import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { coalesce } from '../async/coalesce.ts';
import { Refused } from '../core/refusal.ts';
import { type FoundState, hasOurFields } from '../core/team/found-state.ts';
import type { ModelsOf } from '../core/team/inbox.ts';
import type { Team } from '../core/team/state.ts';
import { OUR_FIELDS, teamViewOf, type View } from '../core/team/view.ts';
import type { Look, StateFile } from './state-file.ts';

export interface ViewFile {
  /** The current content. Restores our fields if others changed them. */
  check(): Promise<Look>;
  /** Resolves when the file shows the current state of the team, or a later one. */
  show(): Promise<void>;
}

export interface ShownTeam {
  team(): Team;
  modelsOf: ModelsOf;
  /** Reads the team's current state from the journal. */
  refresh(): Promise<unknown>;
}

const STAMP = 'deepwork';
const MAX_TRIES = 200;

export function openViewFile(file: StateFile, shown: ShownTeam): ViewFile {
  /** Calls during a write share the next one. */
  const show = coalesce(write);
  let kept: Buffer | null = null;
  /** This process has written the view once. */
  let isWritten = false;
  let pending: (Pick<Look, 'found' | 'members'> & { carried: Look['members'] }) | null = null;

  function isForeign({ bytes, found, members, own }: Look): boolean {
    if (own || bytes === null || bytes === kept || !hasOurFields(found)) return false;
    // As we wrote them, or rewritten by someone without a change of meaning.
    const sum = stampOf(found)?.sum;
    if (sum === sumOf(ourTexts(members)) || sum === sumOf(textsOf(found))) return false;
    const now = JSON.parse(JSON.stringify(teamViewOf(shown.team(), shown.modelsOf)));
    return !isDeepStrictEqual(ours(found), now);
  }

  /** Late writes of others count, unless they have written something newer. */
  function absorb(late: Look, carried: Look['members']): void {
    pending = { found: late.found, members: late.members, carried };
    show()
      .then(() => isForeign(late) && late.bytes !== null && file.keep(late.bytes))
      .catch(() => {});
  }

  /** The current content, with late writes of others to the previous file. */
  async function readBoth(): Promise<Look> {
    const now = await file.read();
    const late = pending;
    pending = null;
    if (late === null || !isDeepStrictEqual(others(now), new Map(late.carried))) return now;
    return { ...now, found: late.found, members: late.members, own: true };
  }

  async function write(): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await readBoth();
      const foreign = isForeign(before);
      const seq = stampOf(before.found)?.seq ?? 0;
      // The file shows more than we know: a newer view must not be replaced by an older one.
      if (seq > shown.team().seq) await shown.refresh();
      const after = compose(before, shown.team(), shown.modelsOf);
      if (before.bytes?.equals(after.bytes)) return;
      if (foreign && before.bytes !== null) {
        file.keep(before.bytes);
        kept = before.bytes;
      }
      if (file.replace(before, after, (late) => absorb(late, after.members))) return;
    }
    throw new Error('other programs keep changing the state file');
  }

  return {
    show,
    async check() {
      const look = await file.read();
      if (shown.team().seq === 0) return look;
      // A process that died may have left an outdated view.
      const stale = !isWritten || look.bytes === null;
      if (!stale && !isForeign(look)) return look;
      // If nothing can be written, reading still works.
      await show().catch((error) => {
        if (error instanceof Refused) throw error;
      });
      isWritten = true;
      return file.read();
    },
  };
}

function compose(before: Look, team: Team, modelsOf: ModelsOf): Look & { bytes: Buffer } {
  const texts = textsOf(teamViewOf(team, modelsOf));
  const theirs = others(before);
  const stamp = { seq: team.seq, sum: sumOf(texts) };
  const members = [...texts, ...theirs, [STAMP, JSON.stringify(stamp)] as const];
  const lines = members.map(([name, text]) => `  ${JSON.stringify(name)}: ${text}`);
  const found = Object.fromEntries([...theirs.keys()].map((name) => [name, before.found[name]]));
  return {
    bytes: Buffer.from(`{\n${lines.join(',\n')}\n}\n`),
    found: { ...found, [STAMP]: stamp },
    members: theirs,
    own: true,
  };
}

function textsOf(fields: View | FoundState): Map<string, string> {
  const texts = new Map<string, string>();
  for (const field of OUR_FIELDS) {
    const value = (fields as View)[field];
    if (value !== undefined) texts.set(field, textOf(value));
  }
  return texts;
}

function ourTexts(members: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    OUR_FIELDS.flatMap((field) => {
      const text = members.get(field);
      return text === undefined ? [] : [[field, text]];
    }),
  );
}

/** Lists with one item per line, for people and for diffs. */
function textOf(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return JSON.stringify(value);
  return `[\n${value.map((item) => `    ${itemText(item)}`).join(',\n')}\n  ]`;
}

const itemTexts = new WeakMap<object, string>();

/** Items of a view never change; a changed message is a new item. */
function itemText(item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item);
  const before = itemTexts.get(item);
  if (before !== undefined) return before;
  const text = JSON.stringify(item);
  itemTexts.set(item, text);
  return text;
}

/** The members that are not ours. */
function others({ members }: Look): Map<string, string> {
  return new Map([...members].filter(([name]) => !isOurs(name)));
}

function isOurs(name: string): boolean {
  return name === STAMP || (OUR_FIELDS as readonly string[]).includes(name);
}

function ours(found: FoundState): Record<string, unknown> {
  return Object.fromEntries(
    OUR_FIELDS.filter((field) => found[field] !== undefined).map((field) => [field, found[field]]),
  );
}

function sumOf(texts: ReadonlyMap<string, string>): string {
  return hash('sha256', [...texts].flat().join('\n'), 'hex').slice(0, 32);
}

function stampOf(found: FoundState): { readonly seq: number; readonly sum: string } | null {
  const stamp = found[STAMP] as { seq?: unknown; sum?: unknown } | null | undefined;
  const fits = Number.isSafeInteger(stamp?.seq) && typeof stamp?.sum === 'string';
  return fits ? (stamp as { seq: number; sum: string }) : null;
}

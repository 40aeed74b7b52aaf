// Whether the files agree with each other: streams are whole and proved, views show a state of their
// session that is at least as new as what was answered before, and kills leave no more than the one
// file that each of them interrupted.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { SessionEvent } from '../../src/core/session/events.ts';
import { evolve } from '../../src/core/session/evolve.ts';
import type { Session } from '../../src/core/session/state.ts';
import { journalKey } from '../../src/environment/signing-key.ts';
import { verifyStream } from '../../src/journal/verify.ts';
import { localPath } from '../../src/sessions/portable-paths.ts';
import { viewOf } from '../simulation/by-hand.ts';
import type { CallRecord, History } from './history.ts';
import type { StreamEvent, Streams } from './streams.ts';
import type { Violation } from './violation.ts';

/** Recorded when a client looks at a view: not a tool, but a look at the disk. */
export const LOOK_AT_VIEW = 'look at a view';

const KNOWN_IN_TMP =
  /^(session_[0-9a-f]{8}\.json|quality_review_[0-9a-f]{8}_\w+\.md|ended\.log|answered\.json|listed\.json|open|\.gitignore)$/;

const found = (what: string, calls: readonly CallRecord[] = [], trace: string[] = []) => ({
  what,
  calls,
  trace,
});

export async function checkFiles(
  root: string,
  { team, sessions }: Streams,
  history: History,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const streams = new Map([...sessions].map(([id, events]) => [`session/${id}`, events]));
  for (const [name, events] of [...streams, ['team/log', team] as const]) {
    const verified = await verifyStream(path.join(root, '.deepwork/journal'), name, journalKey());
    const { damage = null, events: count = 0 } = verified ?? {};
    if (damage !== null) violations.push(found(`${name} is damaged: ${JSON.stringify(damage)}`));
    if (count !== events.length) {
      violations.push(found(`${name} has ${events.length} events, and ${count} are proved`));
    }
    const broken = events.findIndex(({ prev }, at) => prev !== (events[at - 1]?.hash ?? NO_HASH));
    if (broken !== -1) violations.push(found(`${name} is not a chain at event ${broken + 1}`));
  }
  for (const [id, events] of sessions) {
    const shown = readView(root, id);
    if (events.length > 0 && shown !== viewText(root, events)) {
      violations.push(found(`The view of ${id} is not what its stream says: ${shown}`, [], [id]));
    }
  }
  const names = existsSync(path.join(root, TMP)) ? readdirSync(path.join(root, TMP)) : [];
  const left = names.filter((name) => !KNOWN_IN_TMP.test(name));
  if (left.length > history.kills.size) {
    violations.push(found(`${history.kills.size} kills left ${left.join(', ')}`));
  }
  return [...violations, ...checkLooks(root, { team, sessions }, history)];
}

/** What clients saw of views while servers were killed. */
export function checkLooks(root: string, { sessions }: Streams, { calls }: History): Violation[] {
  const seqs = new Map<string, { readonly seq: number; readonly end: number }[]>();
  const times = (notes: unknown) => calls.filter(({ args }) => args.notes === notes).length;
  for (const { tool, args, answer, end } of calls) {
    if (tool === LOOK_AT_VIEW || answer === null || answer.isError) continue;
    const id = args.session_id ?? answer.data?.begin_step?.session_id;
    const seq = sessions.get(id)?.find(({ data }) => data.sent?.notes === args.notes)?.seq;
    // Of a call that several processes got, one writes the view, and another may be told first.
    if (args.notes === undefined || seq === undefined || times(args.notes) > 1) continue;
    seqs.set(id, [...(seqs.get(id) ?? []), { seq, end: end as number }]);
  }
  return calls.flatMap((look) => {
    if (look.tool !== LOOK_AT_VIEW) return [];
    const id = look.args.session_id as string;
    const { text = '', data } = look.answer ?? {};
    const revision: number | undefined = data?.revision;
    const events = sessions.get(id)?.slice(0, revision) ?? [];
    if (events.length !== revision || text !== viewText(root, events)) {
      return [found(`The view of ${id} showed what never was: ${text}`, [look], [id])];
    }
    const answered = seqs.get(id)?.filter(({ end }) => end < look.start) ?? [];
    const least = Math.max(0, ...answered.map(({ seq }) => seq));
    if (revision >= least) return [];
    return [
      found(`The view of ${id} showed event ${revision}, after ${least} was answered`, [look]),
    ];
  });
}

const NO_HASH = '0'.repeat(64);
const TMP = '.deepwork/tmp';

/** Null if there is none. */
export function readView(root: string, id: string): string | null {
  const file = path.join(root, TMP, `session_${id}.json`);
  return existsSync(file) ? JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

function viewText(root: string, events: readonly StreamEvent[]): string {
  let session: Session | null = null;
  for (const event of events) session = evolve(session, event as unknown as SessionEvent);
  const { jobDir } = session as unknown as Session;
  // A stream names a job from the project's root, a view as it is on this machine.
  const here = localPath(jobDir, { root, jobFolders: [] });
  return JSON.stringify(viewOf({ ...(session as unknown as Session), jobDir: here }));
}

// Walks the path of a proof with the real deciders.

import { placeOf } from '../../src/core/places.ts';
import type { PathEvent } from '../../src/core/proof.ts';
import type { Job, Workflow } from '../../src/core/workflow.ts';
import { type Move, movesFrom, startMoves } from './exhaustive.ts';

const MINOR = new Set<PathEvent['what']>(['skipped', 'no_items', 'until_done', 'until_not_yet']);

/** The last moves of every real run that went as the path says; none: it cannot be walked. */
export function replay(job: Job, workflow: Workflow, path: readonly PathEvent[]): readonly Move[] {
  const parts: { readonly did: PathEvent; readonly saw: readonly PathEvent[] }[] = [];
  for (const each of path) {
    const last = parts.at(-1);
    if (MINOR.has(each.what) && last !== undefined) {
      parts[parts.length - 1] = { did: last.did, saw: [...last.saw, each] };
    } else parts.push({ did: each, saw: [] });
  }
  const [first] = parts;
  if (first === undefined) return [];
  const sawAll = (move: Move, index: number) => {
    const saw = parts[index]?.saw ?? [];
    const names = saw.map(({ what, name }) => nameOf(workflow, what, name));
    const really = [
      ...move.skipped.map((id) => `skipped ${id}`),
      ...move.untils.map(({ loop, done }) => `${done ? 'done' : 'not yet'} ${loop}`),
    ];
    const isThere = names.every((name) => really.includes(name) || isTried(move));
    return isThere && (index === parts.length - 1 || names.length >= move.untils.length);
  };
  let moves = [...startMoves(job, workflow, first.did.values ?? {})].filter((move) =>
    sawAll(move, 0),
  );
  for (let index = 1; index < parts.length; index += 1) {
    const { did } = parts[index] as (typeof parts)[number];
    moves = moves.flatMap((move) => {
      const session = move.after;
      if (session === null) return [];
      const next = movesFrom(job, workflow, session).filter((each) => isThis(each, did));
      // The items of a list are done one by one.
      return next.flatMap((each) => {
        const isOpen = each.after?.position.arrival === session.position.arrival;
        const isItem = session.position.at?.kind === 'for_each';
        if (!isOpen || !isItem || each.after === null) return [each];
        return movesFrom(job, workflow, each.after).filter((other) => isThis(other, did));
      });
    });
    moves = moves.filter((move) => sawAll(move, index));
  }
  return moves;
}

/** One more pass was looked at in which nothing applies: that leaves no trace. */
function isTried({ after }: Move): boolean {
  return after?.position.limit !== undefined;
}

function nameOf(workflow: Workflow, what: PathEvent['what'], name: string): string {
  if (what === 'until_done') return `done ${name}`;
  if (what === 'until_not_yet') return `not yet ${name}`;
  const entry = placeOf(workflow, name)?.entry;
  return `skipped ${what === 'no_items' && entry?.kind === 'for_each' ? entry.step.id : name}`;
}

function isThis({ did }: Move, { what, name, values = {} }: PathEvent): boolean {
  const [really] = did;
  if (really?.what !== what || really.name !== name) return false;
  return Object.entries(values).every(([key, value]) => really.values?.[key] === value);
}

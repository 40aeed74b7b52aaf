// Finds the run that a person means, by its id or a unique beginning of it.

import { Refused, refuse, refusedWith } from '../core/refusal.ts';
import { counted, shown } from '../core/wording.ts';

const MAX_NAMED = 10;

export function matchId(ids: readonly string[], wanted: string): string {
  const id = findRunId(ids, wanted);
  if (id === null) throw new Refused(unknownRun(wanted));
  return id;
}

/** Null if there is none. */
export function findRunId(ids: readonly string[], wanted: string): string | null {
  const found = ids.includes(wanted) ? [wanted] : ids.filter((id) => id.startsWith(wanted));
  const [only, ...others] = wanted === '' ? [] : found;
  if (only === undefined) return null;
  if (others.length === 0) return only;
  const named = found.slice(0, MAX_NAMED).join(', ');
  const more = found.length > MAX_NAMED ? `, … (${found.length} in all)` : '';
  throw refusedWith(
    'run_ambiguous',
    `Several runs begin with '${shown(wanted)}': ${named}${more}`,
    'give more characters of the id.',
  );
}

export function unknownRun(wanted: string) {
  return refuse(
    'run_unknown',
    wanted === 'last' ? 'There are no runs here yet' : `There is no run '${shown(wanted)}'`,
    wanted === 'last'
      ? 'start one: `deepwork` shows how.'
      : 'run `deepwork status --all` to see every run.',
  );
}

/** `last`: of its last event; 0 for the run of a team, which has turns instead of events. */
export function unknownEvent(id: string, seq: number, last: number) {
  return refuse(
    'event_unknown',
    `Run ${id} has ${counted(last, 'event')}, so there is no event ${seq}`,
    last === 0
      ? 'look at the run as it is now: only runs of workflows can be seen as they were.'
      : `use a number from 1 to ${last}.`,
  );
}

export function damagedRun(id: string, why: string) {
  return refuse(
    'run_damaged',
    `Run ${id} cannot be shown, because its journal is damaged: ${why}`,
    'run `deepwork repair`: it sets the damaged file aside, with every byte it has, and says where.',
  );
}

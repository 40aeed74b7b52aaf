// The results of a run of kills, to be summed up over clients and printed.

export interface Tally {
  kills: number;
  calls: number;
  /** Unanswered calls that took effect, and that did not. */
  effective: number;
  ineffective: number;
  /** Calls that were sent a second time. */
  repeated: number;
  sessions: number;
  events: number;
  /** Lines that do not count. */
  voids: number;
  /** Stream files without an event: starts that were cut off. */
  emptyStreams: number;
  /** Lives that found the stack in several pieces, because its adoption was cut off. */
  splitStacks: number;
  /** Files among the views that will never be read. */
  leftovers: number;
}

export function newTally(): Tally {
  return {
    kills: 0,
    calls: 0,
    effective: 0,
    ineffective: 0,
    repeated: 0,
    sessions: 0,
    events: 0,
    voids: 0,
    emptyStreams: 0,
    splitStacks: 0,
    leftovers: 0,
  };
}

export function addUp(tallies: readonly Tally[]): Tally {
  const sum = newTally();
  for (const key of Object.keys(sum) as (keyof Tally)[]) {
    for (const tally of tallies) sum[key] += tally[key];
  }
  return sum;
}

export function describeTally(tally: Tally): string {
  return [
    `${tally.kills} kills`,
    `${tally.calls} calls`,
    `in flight ${tally.effective} took effect and ${tally.ineffective} did not`,
    `${tally.repeated} sent again`,
    `${tally.sessions} sessions with ${tally.events} events and ${tally.voids} void lines`,
    `${tally.emptyStreams} empty streams`,
    `${tally.splitStacks} stacks in pieces`,
    `${tally.leftovers} temporary files left`,
  ].join(', ');
}

// The result of a simulation: how much of the workflow was played, which agent got past which gate
// and how, how well each step is guarded, and what to do about it.

import { compareTexts } from '../core/compare-texts.ts';
import { type Entry, ownSteps, type Step, stepsOf, type Workflow } from '../core/workflow.ts';
import type { AgentName } from './agents.ts';
import { type PlayRecord, SKIPS_REVIEW } from './record.ts';

export interface Hole {
  readonly agent: AgentName;
  readonly step: string;
  readonly by: string;
  readonly advice: string;
}

export interface StepGuard {
  readonly step: string;
  /** The share of dishonest attempts that were stopped, in percent; null: none was made. */
  readonly score: number | null;
  readonly attempts: number;
  readonly stopped: number;
}

export interface Coverage {
  readonly seen: number;
  readonly of: number;
  readonly missed: readonly string[];
}

export interface AgentRuns {
  readonly agent: AgentName;
  readonly runs: number;
  readonly completed: number;
  /** What it tried that should be stopped, and how much of it was. */
  readonly attempts: number;
  readonly stopped: number;
  /** Where runs ended that were not completed, and why. */
  readonly unfinished: readonly {
    readonly step: string;
    readonly why: string;
    readonly runs: number;
  }[];
}

export interface Simulation {
  readonly workflow: string;
  readonly seed: number;
  readonly runs: readonly AgentRuns[];
  readonly steps: Coverage;
  readonly branches: Coverage;
  readonly guards: readonly StepGuard[];
  /** What should not have been possible. */
  readonly holes: readonly Hole[];
  readonly transcript: readonly string[];
}

export function summarizeSimulation(
  name: string,
  workflow: Workflow,
  seed: number,
  records: readonly PlayRecord[],
): Simulation {
  const steps = new Map(stepsOf(workflow).map((step) => [step.id, step]));
  const attempts = records.flatMap((record) => record.attempts);
  const agents = [...new Set(records.map(({ agent }) => agent))];
  const labels = [...new Set([...steps.keys(), ...attempts.map(({ step }) => step)])];
  const reached = new Set(records.flatMap((record) => record.reached));
  const taken = new Set(records.flatMap((record) => takenBranches(record, steps)));
  return {
    workflow: name,
    seed,
    runs: agents.map((agent) =>
      runsOf(
        agent,
        records.filter((record) => record.agent === agent),
      ),
    ),
    steps: coverage([...steps.keys()], reached),
    branches: coverage(workflow.entries.flatMap(possibleBranches), taken),
    guards: labels.flatMap((step): readonly StepGuard[] => {
      const own = attempts.filter((each) => each.step === step && isDishonest(each.agent));
      const stopped = own.filter(({ isStopped }) => isStopped).length;
      const score = own.length === 0 ? null : Math.round((100 * stopped) / own.length);
      return [{ step, score, attempts: own.length, stopped }];
    }),
    holes: holesIn(records),
    transcript: records.flatMap(({ lines }) => lines),
  };
}

function runsOf(agent: AgentName, records: readonly PlayRecord[]): AgentRuns {
  const attempts = records.flatMap((record) => record.attempts);
  const unfinished = new Map<string, AgentRuns['unfinished'][number]>();
  for (const { stuck } of records) {
    if (stuck === null) continue;
    const key = JSON.stringify([stuck.at, stuck.why]);
    const runs = (unfinished.get(key)?.runs ?? 0) + 1;
    unfinished.set(key, { step: stuck.at, why: stuck.why, runs });
  }
  return {
    agent,
    runs: records.length,
    completed: records.filter(({ stuck }) => stuck === null).length,
    attempts: attempts.length,
    stopped: attempts.filter(({ isStopped }) => isStopped).length,
    unfinished: [...unfinished.values()],
  };
}

export function isDishonest(agent: AgentName): boolean {
  return agent === 'liar' || agent === 'skipper';
}

function coverage(all: readonly string[], seen: ReadonlySet<string>): Coverage {
  const missed = all.filter((each) => !seen.has(each));
  return { seen: all.length - missed.length, of: all.length, missed };
}

function possibleBranches(entry: Entry): readonly string[] {
  switch (entry.kind) {
    case 'loop': {
      const inside = entry.entries.flatMap(possibleBranches);
      return [`${entry.name} once`, `${entry.name} once more`, ...inside];
    }
    case 'approve':
      return [`${entry.name} approved`, `${entry.name} rejected`];
    default:
      return ownSteps(entry).flatMap(branchesOfStep);
  }
}

function branchesOfStep({ id, when }: Step): readonly string[] {
  return when === null ? [] : [`${id} runs`, `${id} skipped`];
}

function takenBranches(
  { branches, reached, stuck }: PlayRecord,
  steps: ReadonlyMap<string, Step>,
): readonly string[] {
  if (stuck !== null) return branches;
  const skipped = [...steps.values()].filter(
    ({ id, when }) => when !== null && !reached.includes(id),
  );
  return [...branches, ...skipped.map(({ id }) => `${id} skipped`)];
}

function holesIn(records: readonly PlayRecord[]): readonly Hole[] {
  const found = new Map<string, Hole>();
  for (const { agent, stuck, attempts } of records) {
    for (const { step, by, isStopped, model } of attempts) {
      if (isStopped) continue;
      const advice = adviceOn(agent, step, by, model);
      found.set(JSON.stringify([agent, step, by]), { agent, step, by, advice });
    }
    // A person who does not accept a lie is not a hole.
    if (stuck === null || (stuck.isRejected && isDishonest(agent))) continue;
    const { at, why } = stuck;
    const advice = stuck.isNotStarted
      ? `workflow '${at}' cannot be started: ${why}`
      : `step '${at}' cannot be finished: ${why}`;
    found.set(JSON.stringify(['stuck', at]), { agent, step: at, by: 'gets no further', advice });
  }
  return [...found.values()].sort((one, other) => compareTexts(keyOf(one), keyOf(other)));
}

function keyOf({ step, agent, by }: Hole): string {
  return `${step}\n${agent}\n${by}`;
}

function adviceOn(agent: AgentName, step: string, by: string, model: Step | undefined): string {
  const named = `step '${step}'`;
  if (by.endsWith(SKIPS_REVIEW)) {
    return `only the review of ${named} stops this, and agents may skip reviews: to close it, set quality_gate.overrides: person in .deepwork/config.yml`;
  }
  if (agent === 'skipper' && by === 'hands in nothing') {
    return `${named} requires no output, check or review: the skipper passes`;
  }
  if (agent !== 'liar') return `${named}: the ${agent} ${by} and passes`;
  const output = by.replace(/^lies in /, '');
  const isBare =
    model === undefined ||
    (model.checks.length === 0 &&
      model.reviews.length === 0 &&
      model.outputs.every(({ rules }) => rules === null));
  if (isBare) return `${named} has no rule, check or review: the liar passes`;
  const hasRules = model.outputs.some(({ name, rules }) => name === output && rules !== null);
  return hasRules
    ? `the rules of '${output}' of ${named} are met by a file that says nothing: the liar passes`
    : `no rule, check or review of ${named} looks at '${output}': the liar passes`;
}

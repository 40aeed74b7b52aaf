// Random workflows of every kind of entry, for the histories and for lint. Those for lint are small,
// with conditions over declared and undeclared variables, each of which has so few values that all of
// them can be tried.

import { type Condition, holds } from '../../src/core/conditions.ts';
import { parseCondition } from '../../src/core/conditions-parse.ts';
import type { DeclaredVariable } from '../../src/core/variables.ts';
import type { Entry, Job, Step, Until, Workflow } from '../../src/core/workflow.ts';
import type { Random } from '../support/random.ts';

/** All values that a variable is tried with. */
export function valuesToTry({ type, enum: values }: DeclaredVariable): readonly unknown[] {
  if (values !== null) return values;
  if (type === 'boolean') return [true, false];
  return type === 'number' ? [-1, 0, 0.5, 1, 1.5, 2, 3] : ['', 'a', 'b', 'c', 'q'];
}

/**
 * What an agent may give for a variable that nothing declares: of many values those that the
 * comparisons written in the workflow can tell apart.
 */
export function freeValues(workflow: Workflow, name: string): readonly unknown[] {
  const known = found.get(workflow) ?? new Map<string, readonly unknown[]>();
  found.set(workflow, known);
  const values = known.get(name) ?? freeValuesIn(workflow, name);
  known.set(name, values);
  return values;
}

const found = new WeakMap<Workflow, Map<string, readonly unknown[]>>();

function freeValuesIn(workflow: Workflow, name: string): readonly unknown[] {
  const text = JSON.stringify(workflow.entries);
  const written = new RegExp(`\\{"var":"${name}"(?:,"\\w+":[^{}[\\],]+)?\\}`, 'g');
  const comparisons = [...new Set(text.match(written) ?? [])].map((each) =>
    compile(JSON.parse(each)),
  );
  const seen = new Set<string>();
  return MANY_VALUES.filter((value) => {
    const answers = comparisons.map((each) => holds(each, { [name]: value })).join();
    return !seen.has(answers) && seen.add(answers);
  });
}

const MANY_VALUES: readonly unknown[] = [
  ...['a', 'b', 'c', 'q', true, false],
  ...[-1, 0, 0.5, 1, 1.5, 2, 3],
];

function declare(random: Random, name: string): DeclaredVariable {
  const required = random.chance(0.6);
  const rest = { name, description: name, pattern: null, required, default: null };
  const kind = random.weighted({ boolean: 4, few: 4, number: 1, text: 1 });
  switch (kind) {
    case 'boolean':
      return { ...rest, type: 'boolean', enum: null };
    case 'few':
      return { ...rest, type: 'string', enum: random.chance(0.5) ? ['a', 'b'] : ['a', 'b', 'c'] };
    case 'number':
      return { ...rest, type: 'number', enum: random.chance(0.5) ? [0, 1] : null };
    case 'text':
      return { ...rest, type: 'string', enum: null };
  }
}

function condition(random: Random, names: readonly string[], depth = 0): Record<string, unknown> {
  const kind = random.weighted({ bare: 3, equals: 5, compare: 1, not: 1, and: 2, or: 1 });
  const name = random.pick(names);
  if (depth < 2 && (kind === 'and' || kind === 'or')) {
    return { [kind]: [condition(random, names, depth + 1), condition(random, names, depth + 1)] };
  }
  if (depth < 2 && kind === 'not') return { not: condition(random, names, depth + 1) };
  if (kind === 'compare') {
    return { var: name, [random.pick(['gt', 'gte', 'lt', 'lte'])]: random.below(3) };
  }
  if (kind === 'equals') {
    const operand = random.pick<unknown>(['a', 'b', 'c', true, false, 0, 1]);
    return { var: name, [random.pick(['equals', 'equals', 'not_equals'])]: operand };
  }
  return { var: name };
}

export function compile(source: Record<string, unknown>): Condition {
  const { condition: compiled } = parseCondition(source);
  if (compiled === null) throw new Error(`not a condition: ${JSON.stringify(source)}`);
  return compiled;
}

/** What kind of workflows is wanted. */
export interface Taste {
  readonly random: Random;
  /** Entries of every kind anywhere in loops, and what is done for each item taken from, too. */
  readonly isWide: boolean;
  readonly weights: Readonly<Record<Entry['kind'] | 'together', number>>;
  /** At most so many. */
  readonly mostLoops: number;
  /** Before each name. */
  readonly prefix?: string;
  /** `sources`: steps that it may take from. */
  newStep(id: string, isItem: boolean, sources: readonly string[]): Step;
  condition(): Condition;
  /** What an entry runs. */
  readonly runs: readonly string[];
}

interface Making extends Taste {
  /** Steps done at entries of steps, so far: what later ones may take from. */
  readonly sources: string[];
  /** With those that are done for each item. */
  readonly made: string[];
  /** Where a rejection may lead. */
  readonly targets: string[];
  readonly steps: Step[];
  loops: number;
  entries: number;
}

function makeStep(making: Making, isItem: boolean): Step {
  const { steps, isWide, made, sources, prefix = '' } = making;
  const step = making.newStep(`${prefix}s${steps.length + 1}`, isItem, isWide ? made : sources);
  steps.push(step);
  if (step.outputs.length === 0) return step;
  made.push(step.id);
  if (!isItem) sources.push(step.id);
  return step;
}

function refTo({ random, steps }: Making, id: string) {
  const outputs = steps.find((step) => step.id === id)?.outputs ?? [];
  return { step: id, output: random.pick(outputs).name };
}

function makeUntil(making: Making, inside: readonly string[]): Until {
  const { random } = making;
  const kind = random.weighted({ check: 2, when: 5, rules: inside.length > 0 ? 1 : 0 });
  if (kind === 'when') return { kind, condition: making.condition() };
  if (kind === 'check') return { kind, check: { name: 'c', run: 'true', timeoutSeconds: 1 } };
  return { kind, output: refTo(making, random.pick(inside)), criteria: [] as never };
}

function makeEntry(making: Making, room: number): Entry {
  const { random, sources, made, targets, isWide, weights, runs, prefix = '' } = making;
  making.entries += 1;
  const name = `${prefix}e${making.entries}`;
  const kind = random.weighted({
    ...weights,
    together: room > 1 ? weights.together : 0,
    loop: making.loops > 0 ? weights.loop : 0,
    for_each: sources.length > 0 ? weights.for_each : 0,
    run: runs.length > 0 ? weights.run : 0,
  });
  switch (kind) {
    case 'steps':
    case 'together': {
      const count = kind === 'together' ? random.pick([2, 2, 3, 4]) : 1;
      const members = Array.from({ length: count }, () => makeStep(making, false));
      targets.push(...members.map(({ id }) => id));
      return { kind: 'steps', steps: members };
    }
    case 'loop': {
      making.loops -= 1;
      const before = made.length;
      const entries: Entry[] = [];
      if (isWide) {
        targets.push(name);
        for (let left = random.between(1, 3); left > 0; left -= 1)
          entries.push(makeEntry(making, 1));
      } else {
        const first = makeStep(making, false);
        targets.push(first.id, name);
        entries.push({ kind: 'steps', steps: [first] });
        if (random.chance(0.5)) entries.push(makeEntry(making, 1));
      }
      const inside = made.slice(before).filter((id) => isWide || sources.includes(id));
      return { kind, name, entries, until: makeUntil(making, inside), max: random.between(1, 2) };
    }
    case 'for_each': {
      // Mostly of the step before it, which is in the same loop then.
      const source = random.chance(0.5) ? (sources.at(-1) as string) : random.pick(sources);
      const items = refTo(making, source);
      const step = makeStep(making, true);
      if (isWide) targets.push(name);
      return {
        kind,
        name,
        items,
        step,
        maxParallel: isWide ? random.between(1, 4) : 4,
        maxItems: 100,
      };
    }
    case 'approve': {
      const show = random.some(isWide ? made : sources, 0.5).map((id) => refTo(making, id));
      const goTo = targets.length > 0 && random.chance(0.6) ? random.pick(targets) : null;
      const onReject = goTo === null ? null : { goTo, max: random.between(1, 2) };
      return { kind, name, question: 'Well?', show, onReject };
    }
    case 'run':
      return { kind, name, job: random.pick(runs), workflow: 'w', inputs: [] };
  }
}

export function makeWorkflow(taste: Taste, count: number) {
  const own = { sources: [], made: [], targets: [], steps: [], loops: taste.mostLoops, entries: 0 };
  const making: Making = { ...taste, ...own };
  const entries: Entry[] = [];
  for (let at = 0; at < count; at += 1) entries.push(makeEntry(making, count - at));
  return { entries, steps: making.steps };
}

/** Mostly, what conditions ask for is declared: everything else is a single kind of finding. */
function reportSomewhere(random: Random, steps: readonly Step[], name: string): void {
  const isAsked = steps.some(({ when }) => when?.variables.some((each) => each.name === name));
  const isReported = steps.some(({ reports = [] }) => reports.some((each) => each.name === name));
  if (isReported || !isAsked || random.chance(0.15)) return;
  const step = random.pick(steps) as { reports?: readonly DeclaredVariable[] };
  step.reports = [...(step.reports ?? []), declare(random, name)];
}

export function randomJob(random: Random, isWide = false): Job {
  const inputs = random.some(['i1', 'i2'], 0.5).map((name) => declare(random, name));
  const mentioned = ['r1', 'r2', ...inputs.map(({ name }) => name)];
  const names = random.chance(0.15) ? [...mentioned, 'x'] : mentioned;
  const taste: Taste = {
    random,
    isWide,
    weights: { steps: 10, together: 1, loop: 2, for_each: 1, approve: 1.5, run: 0.5 },
    mostLoops: 2,
    runs: ['j'],
    condition: () => compile(condition(random, names)),
    newStep(id, isItem, sources) {
      const reported = random.chance(0.35) ? [random.pick(['r1', 'r2', ...names])] : [];
      const from = random.chance(0.35) && sources.length > 0 ? [random.pick(sources)] : [];
      return {
        id,
        name: id,
        description: id,
        instructions: { kind: 'text', prompt: id },
        inputs: from.map((fromStep) => ({ kind: 'file', file: 'out', fromStep })),
        outputs: [{ name: 'out', type: 'file', description: 'out', required: true, rules: null }],
        reviews: [],
        checks: [],
        ...(reported.length > 0 && { reports: reported.map((name) => declare(random, name)) }),
        when: random.chance(isItem ? 0.2 : 0.45) ? compile(condition(random, names)) : null,
      };
    },
  };
  const { entries, steps } = makeWorkflow(taste, random.between(2, 4));
  for (const name of ['r1', 'r2']) reportSomewhere(random, steps, name);
  const workflow: Workflow = {
    name: 'w',
    summary: 'w',
    entries,
    ...(inputs.length > 0 && { inputs }),
  };
  return {
    name: 'j',
    version: '1.0.0',
    summary: 'j',
    description: null,
    commonInfo: '',
    dir: '/j',
    hash: 'h',
    steps,
    workflows: [workflow],
  };
}

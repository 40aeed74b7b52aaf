// Random jobs for histories. Names are drawn from small pools so that steps share them, and some are
// names that break careless code.

import type { Output, Step, Workflow } from '../../src/core/workflow.ts';
import { compile, makeWorkflow, type Taste } from '../lint/random-workflows.ts';
import type { Random } from '../support/random.ts';
import type { Jobs } from './calls.ts';

const OUTPUT_NAMES = ['report.md', 'data', 'out/', 'notes', 'log.txt', 'constructor', '__proto__'];
const ODD_IDS = ['constructor', 'valueof'];

/** Conditions on three facts that calls may give, and one that is never given. */
const CONDITIONS = [
  { var: 'fast' },
  { not: { var: 'fast' } },
  { var: 'mode', equals: 'deep' },
  { not: { var: 'mode', equals: 'deep' } },
  { var: 'n', gte: 2 },
  { var: 'never' },
].map(compile);

const PLAIN = { steps: 11, together: 9, loop: 0, for_each: 0, approve: 0, run: 0 };
const MIXED = { steps: 6, together: 4, loop: 4, for_each: 4, approve: 3, run: 2 };

/** Each may run those before it. */
export function randomJobs(random: Random): Jobs {
  const jobs = new Map<string, Workflow>();
  for (let left = random.between(1, 3); left > 0; left -= 1) {
    const name = `job_${jobs.size}`;
    const runs = [...jobs.keys()];
    const conditions = random.pick([0, 0, 0.2, 0.5, 1]);
    const isPlain = random.chance(0.3);
    const style = { conditions, outputs: random.pick([0.1, 0.2, 0.4]), isPlain };
    const prefix = String.fromCharCode(97 + jobs.size);
    const taste: Taste = {
      random,
      isWide: true,
      weights: isPlain ? PLAIN : MIXED,
      mostLoops: 3,
      prefix,
      runs,
      condition: () => random.pick(CONDITIONS),
      newStep: (id) => newStep(random, oddly(id, prefix), style),
    };
    const { entries } = makeWorkflow(taste, random.between(1, 5));
    jobs.set(name, { name: 'flow', summary: name, entries });
  }
  return jobs;
}

/** The second and the fourth step of the first job have odd names. */
function oddly(id: string, prefix: string): string {
  return prefix === 'a' ? (ODD_IDS[['as2', 'as4'].indexOf(id)] ?? id) : id;
}

interface Style {
  readonly conditions: number;
  readonly outputs: number;
  readonly isPlain: boolean;
}

function newStep(random: Random, id: string, { conditions, outputs, isPlain }: Style): Step {
  const names = random.some(OUTPUT_NAMES, outputs);
  // Lists, loops and approvals are about outputs.
  if (names.length === 0 && !isPlain) names.push(random.pick(OUTPUT_NAMES));
  return {
    id,
    name: id,
    description: id,
    instructions: { kind: 'text', prompt: id },
    inputs: [],
    outputs: names.map((name) => newOutput(random, name, isPlain ? 0.6 : 0.8)),
    reviews: random.chance(0.5)
      ? [{ runEach: 'step', criteria: [{ name: 'good', text: 'Is it good?' }], guidance: null }]
      : [],
    checks: [],
    when: random.chance(conditions) ? random.pick(CONDITIONS) : null,
  };
}

function newOutput(random: Random, name: string, required: number): Output {
  const type = random.chance(name.endsWith('/') ? 0.9 : 0.25) ? 'files' : 'file';
  return { name, type, required: random.chance(required), description: name, rules: null };
}

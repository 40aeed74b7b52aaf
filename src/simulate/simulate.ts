// deepwork simulate: plays a workflow many times against the real engine, with scripted agents that
// try to cheat. It writes nothing in the project, and runs none of its commands unless asked.

import path from 'node:path';
import { refusedWith } from '../core/refusal.ts';
import { misspeltInputs, unknownInputs } from '../core/variables.ts';
import type { Job, Workflow } from '../core/workflow.ts';
import { splitName } from '../engine/definition-in-use.ts';
import { type TypeOfInput, typesOf } from '../engine/start-inputs.ts';
import { requireTrustInAll } from '../engine/trust/required-trust.ts';
import { openWorkspace } from '../engine/workspace.ts';
import { openContainment } from '../environment/containment.ts';
import { type AgentName, SIMULATED_AGENTS } from './agents.ts';
import { findWorkflow } from './find-workflow.ts';
import { play } from './play.ts';
import { drawFrom } from './random.ts';
import type { PlayRecord } from './record.ts';
import { type Simulation, summarizeSimulation } from './report.ts';
import { makeScratch } from './scratch.ts';
import { contextFor, valueFor, valuesIn } from './values.ts';

export type { Simulation } from './report.ts';

export interface SimulateOptions {
  readonly projectRoot: string;
  readonly standardJobsDir: string | null;
  readonly standardGuidesDir: string | null;
  readonly env: NodeJS.ProcessEnv;
  /** `job/workflow`, the name of a job with one workflow, or the id of a guide. */
  readonly name: string;
  readonly agents: readonly AgentName[];
  readonly runs: number;
  readonly seed: number;
  /** The values given for inputs, read by their declared types. */
  readonly readInputs: (typeOf: TypeOfInput) => Readonly<Record<string, unknown>>;
  readonly runChecks: boolean;
  /** Called after each run with the number of runs so far. */
  readonly onPlayed?: (runs: number) => void;
}

export async function simulate(options: SimulateOptions): Promise<Simulation> {
  const { name, agents, runs, seed } = options;
  requireContained(options.projectRoot);
  if (options.runChecks) await requireTrustInChecks(options);
  const scratch = await makeScratch(options);
  try {
    const workspace = scratch.open();
    const [jobName] = splitName(name);
    const { inUse } = await findWorkflow(workspace, name);
    workspace.stop();
    await workspace.close();
    const { workflow, definition } = inUse;
    const job = { version: '', summary: '', description: null, ...definition } as Job;
    const values = valuesIn(job, workflow);
    const given = options.readInputs(typesOf(workflow));
    requireDeclared(workflow, given);
    const records: PlayRecord[] = [];
    for (let run = 0; run < runs; run += 1) {
      const agent = agents[run % agents.length] ?? SIMULATED_AGENTS[0];
      const draw = drawFrom(seed * 1_000_003 + run);
      const inputs = inputsFor(given, workflow, values, draw, scratch);
      const context = contextFor(draw, job, workflow);
      records.push(
        await play({ scratch, run, agent, draw, job: jobName, workflow, values, inputs, context }),
      );
      options.onPlayed?.(run + 1);
    }
    return summarizeSimulation(`${definition.name}/${workflow.name}`, workflow, seed, records);
  } finally {
    scratch.remove();
  }
}

function requireContained(projectRoot: string): void {
  openContainment(projectRoot, () => {}).require(path.join(projectRoot, '.deepwork'));
}

/** The project's own commands run in the copy, so a person must have agreed to them. */
async function requireTrustInChecks(options: SimulateOptions): Promise<void> {
  const { projectRoot, standardJobsDir, standardGuidesDir, env } = options;
  const folders = { standardJobsDir, standardGuidesDir };
  const workspace = openWorkspace({ projectRoot, ...folders, env, onProblem: () => {} });
  try {
    const { inUse } = await findWorkflow(workspace, options.name);
    await requireTrustInAll(workspace, inUse);
  } finally {
    workspace.stop();
  }
}

function requireDeclared(
  { inputs = [] }: Workflow,
  given: Readonly<Record<string, unknown>>,
): void {
  const unknown = unknownInputs(inputs, given);
  if (unknown.length === 0) return;
  const meant = misspeltInputs(inputs, given);
  const next = meant === null ? 'leave them out.' : `${meant} Correct them, or leave them out.`;
  throw refusedWith('unknown_inputs', unknown.join('\n'), next);
}

/** A value for each input: the one given, else one drawn at random. */
function inputsFor(
  given: Readonly<Record<string, unknown>>,
  { inputs = [] }: Workflow,
  values: ReturnType<typeof valuesIn>,
  draw: ReturnType<typeof drawFrom>,
  scratch: { write(file: string, text: string): string },
): Readonly<Record<string, unknown>> {
  const chosen: Record<string, unknown> = {};
  for (const declared of inputs) {
    const { name, type, required } = declared;
    const value = Object.hasOwn(given, name)
      ? given[name]
      : type === 'file'
        ? scratch.write(`inputs/${name}`, 'An input\n')
        : valueFor(draw, declared, values);
    if (value === undefined && required) {
      throw refusedWith(
        'input_needed',
        `No value is known that fits input '${name}' (it must match ${declared.pattern?.source ?? 'its type'})`,
        `give one: --inputs ${name}=…`,
      );
    }
    if (value !== undefined) chosen[name] = value;
  }
  return chosen;
}

// deepwork simulate: plays a workflow with scripted agents and says who got past which gate.

import { loadEngine } from '../../bundles/load-engine.ts';
import { type AgentName, SIMULATED_AGENTS } from '../../simulate/agents.ts';
import { bundled, projectAt, readOptions, UsageError } from '../command-line.ts';
import { SIMULATE_HELP } from '../help.ts';
import { AGENTS_CANNOT, refusesAgent } from '../terminal/only-people.ts';
import { simulationText } from './simulation-text.ts';

const RUNS = 100;
const MAX_RUNS = 10_000;

export async function simulate(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions('simulate', {
    args: [...argv],
    allowPositionals: true,
    options: {
      path: { type: 'string' },
      agent: { type: 'string' },
      runs: { type: 'string' },
      seed: { type: 'string' },
      inputs: { type: 'string', multiple: true },
      'run-checks': { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(SIMULATE_HELP);
    return 0;
  }
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) {
    throw new UsageError('say which: deepwork simulate <job/workflow or guide>');
  }
  if (values['run-checks'] && refusesAgent('run the checks of a project in a simulation')) {
    return AGENTS_CANNOT;
  }
  const runs = wholeNumber('--runs', values.runs ?? String(RUNS), 1, MAX_RUNS);
  const found = await loadEngine().simulate({
    ...{ projectRoot: projectAt(values.path), ...bundled(), name, runs },
    agents: agentsNamed(values.agent ?? 'all'),
    seed: wholeNumber('--seed', values.seed ?? '1', 0, 2 ** 31),
    inputs: Object.fromEntries((values.inputs ?? []).map(readInput)),
    runChecks: values['run-checks'] ?? false,
    onPlayed: process.stderr.isTTY ? (played) => showProgress(played, runs) : () => {},
  });
  const text = values.json ? `${JSON.stringify(found, null, 2)}\n` : simulationText(found);
  process.stdout.write(text);
  return found.holes.length > 0 ? 1 : 0;
}

/** On one line, which is gone when all are played. */
function showProgress(played: number, runs: number): void {
  const line = played === runs ? '' : `${played} of ${runs} runs played`;
  process.stderr.write(`\r\u001b[K${line}`);
}

function agentsNamed(given: string): readonly AgentName[] {
  if (given === 'all') return SIMULATED_AGENTS;
  const names = given.split(',').map((name) => name.trim());
  return names.map((name) => {
    const agent = SIMULATED_AGENTS.find((each) => each === name);
    if (agent !== undefined) return agent;
    throw new UsageError(`--agent must be one of ${SIMULATED_AGENTS.join(', ')}, all; got ${name}`);
  });
}

function wholeNumber(flag: string, given: string, least: number, most: number): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new UsageError(`${flag} must be a whole number from ${least} to ${most}, got ${given}`);
}

/** `severity=high`; numbers and booleans as such. */
function readInput(given: string): readonly [string, unknown] {
  const at = given.indexOf('=');
  if (at < 1) throw new UsageError(`--inputs must be name=value, got ${given}`);
  const written = given.slice(at + 1);
  const isTyped = /^(true|false|-?\d+(\.\d+)?)$/.test(written);
  return [given.slice(0, at), isTyped ? JSON.parse(written) : written];
}

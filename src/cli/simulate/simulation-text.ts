// The result of a simulation for people, within 80 columns.

import { counted } from '../../core/wording.ts';
import { TRIES } from '../../simulate/agents.ts';
import type { Coverage, Simulation } from '../../simulate/report.ts';
import { printable } from '../terminal/printable.ts';

const WIDTH = 80;

export function simulationText({ workflow, seed, ...found }: Simulation): string {
  const { runs, steps, branches, guards, holes } = found;
  const total = runs.reduce((sum, each) => sum + each.runs, 0);
  const nameWidth = Math.max(0, ...guards.map(({ step }) => step.length));
  return [
    `${printable(workflow)}: ${counted(total, 'run')}, seed ${seed}`,
    '',
    ...runs.flatMap(({ agent, runs: own, completed }) =>
      wrap(
        `${agent.padEnd(9)} ${TRIES[agent]}; ${completed} of ${counted(own, 'run')} completed`,
        10,
      ),
    ),
    '',
    ...covered('steps', steps),
    ...covered('branches', branches),
    '',
    'How well each step is guarded (dishonest attempts that were stopped):',
    ...guards.map(({ step, score, attempts, stopped }) => {
      const share = score === null ? 'not tried' : `${score} % (${stopped} of ${attempts})`;
      return `  ${printable(step).padEnd(nameWidth)}  ${share}`;
    }),
    '',
    ...(holes.length === 0
      ? ['No agent got past a gate that should have stopped it.']
      : holes.flatMap(({ advice }) => wrap(`- ${printable(advice)}`, 2))),
    '',
  ].join('\n');
}

function covered(what: string, { seen, of, missed }: Coverage): readonly string[] {
  const rest = missed.length === 0 ? '' : `; not seen: ${missed.join(', ')}`;
  return wrap(`${what} played: ${seen} of ${of}${printable(rest)}`, 2);
}

function wrap(text: string, indent: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && `${line} ${word}`.length > WIDTH) {
      lines.push(line);
      line = `${' '.repeat(indent)}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

// Formats the result of a simulation for people, in at most 80 columns.

import { counted, singleSpaced } from '../../core/wording.ts';
import { TRIES } from '../../simulate/agents.ts';
import {
  type AgentRuns,
  type Coverage,
  isDishonest,
  type Simulation,
} from '../../simulate/report.ts';
import { printable } from '../terminal/printable.ts';

const WIDTH = 80;

export function simulationText({ workflow, seed, ...found }: Simulation): string {
  const { runs, steps, branches, guards, holes } = found;
  const total = runs.reduce((sum, each) => sum + each.runs, 0);
  const nameWidth = Math.max(0, ...guards.map(({ step }) => step.length));
  return [
    `${printable(workflow)}: ${counted(total, 'run')}, seed ${seed}`,
    '',
    ...runs.flatMap((own) => wrap(runsText(own), 10)),
    '',
    ...covered('steps', steps),
    ...covered('branches', branches),
    '',
    'How well each step is guarded (dishonest attempts that were stopped):',
    ...guards.map(({ step, score, attempts, stopped }) => {
      const share = score === null ? 'not tried' : `${score} % (${stopped} of ${attempts})`;
      return `  ${printable(step).padEnd(nameWidth)}  ${share}`;
    }),
    ...(guards.some(({ score }) => score === null) ? [`  ${NOT_TRIED}`] : []),
    '',
    ...(holes.length === 0
      ? ['No agent got past a gate that should have stopped it.']
      : holes.flatMap(({ advice }) => wrap(`- ${printable(advice)}`, 2))),
    '',
  ].join('\n');
}

const NOT_TRIED = 'not tried: no liar or skipper played, got here, or had something to hand in.';

/** An agent that is stopped does the step as it is asked, so that later steps are tried, too. */
function runsText({ agent, runs, completed, attempts, stopped, unfinished }: AgentRuns): string {
  const past = attempts - stopped;
  const after = past === 0 ? 'then does it properly' : `gets past a gate ${times(past)}`;
  const gate = `; stopped ${stopped} of ${times(attempts)}, ${after}`;
  const why = unfinished.map((each) => `${each.runs} ended at ${each.step}: ${each.why}`);
  return [
    `${agent.padEnd(9)} ${TRIES[agent]}`,
    isDishonest(agent) && attempts > 0 ? gate : '',
    `; ${completed} of ${counted(runs, 'run')} completed`,
    why.length === 0 ? '' : ` (${printable(singleSpaced(why.join('; ')))})`,
  ].join('');
}

function times(count: number): string {
  return counted(count, 'time');
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

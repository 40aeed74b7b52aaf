// deepwork doctor: checks everything that deepwork needs to work here, and says how to fix what is
// wrong. Agents may run it: it starts nothing but deepwork itself, and changes nothing.

import { loadBundle } from '../bundles/load-bundle.ts';
import { toJsonText } from '../core/json-text.ts';
import { counted } from '../core/wording.ts';
import type { CheckState, DoctorCheck } from '../doctor/check.ts';
import { homeOf } from '../environment/home.ts';
import { screenOf } from './board/screen.ts';
import { bundled, readOptions } from './command-line.ts';
import { DOCTOR_HELP } from './help.ts';
import type { Io } from './io.ts';
import { projectAt } from './project.ts';
import { forPerson } from './terminal/for-person.ts';
import { printableLine } from './terminal/printable.ts';

const WIDTH = 80;
const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;
const STATE_WIDTH = 'problem'.length;

export async function doctor(argv: readonly string[], io: Io): Promise<number> {
  const values = readOptions(io, 'doctor', argv, DOCTOR_HELP);
  if (values === null) return 0;
  const checks = await loadBundle('doctor').runChecks({
    root: projectAt(io, values.path),
    home: homeOf(io.env),
    env: io.env,
    bundled: bundled(),
    script: io.program,
  });
  io.stdout.write(values.json ? `${toJsonText({ checks }, 2)}\n` : inWords(io, checks));
  return checks.some(({ state }) => state === 'problem') ? 1 : 0;
}

function inWords(io: Io, checks: readonly DoctorCheck[]): string {
  const { paint } = screenOf(io);
  const nameWidth = Math.max(...checks.map(({ name }) => name.length));
  const indent = STATE_WIDTH + 2 + nameWidth + 2;
  const lines = checks.map(({ name, state, detail, fix }) => {
    const text = printableLine(fix === null ? detail : `${detail}. Fix: ${forPerson(fix)}`);
    const [first = '', ...rest] = wrapped(text, WIDTH - indent);
    const label = paint(COLOURS[state], state.padEnd(STATE_WIDTH));
    return [
      `${label}  ${name.padEnd(nameWidth)}  ${first}`,
      ...rest.map((line) => `${' '.repeat(indent)}${line}`),
    ].join('\n');
  });
  return `${lines.join('\n')}\n\n${total(checks)}\n`;
}

function total(checks: readonly DoctorCheck[]): string {
  const count = (wanted: CheckState) => checks.filter(({ state }) => state === wanted).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  if (problems + warnings === 0) return 'No problems found.';
  return `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`;
}

/** A word longer than a line stays whole, on a line of its own, so that it can be copied. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

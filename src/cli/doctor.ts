// deepwork doctor: checks everything that deepwork needs to work here, and says how to fix what is
// wrong. Agents may run it: it starts nothing but deepwork itself, and changes nothing.

import os from 'node:os';
import { loadBundle } from '../bundles/load-bundle.ts';
import { toJsonText } from '../core/json-text.ts';
import { counted } from '../core/wording.ts';
import type { CheckState, DoctorCheck } from '../doctor/check.ts';
import { screenOf } from './board/screen.ts';
import { bundled, readOptions } from './command-line.ts';
import { DOCTOR_HELP } from './help.ts';
import { projectAt } from './project.ts';
import { forPerson } from './terminal/for-person.ts';
import { printableLine } from './terminal/printable.ts';

const WIDTH = 80;
const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;
const STATE_WIDTH = 'problem'.length;

export async function doctor(argv: readonly string[]): Promise<number> {
  const values = readOptions('doctor', argv, DOCTOR_HELP);
  if (values === null) return 0;
  const checks = await loadBundle('doctor').runChecks({
    root: projectAt(values.path),
    home: os.homedir(),
    env: process.env,
    bundled: bundled(),
    script: process.argv[1] ?? '',
  });
  const text = values.json ? `${toJsonText({ checks }, 2)}\n` : inWords(checks);
  const code = checks.some(({ state }) => state === 'problem') ? 1 : 0;
  await new Promise((resolve) => process.stdout.write(text, resolve));
  // A check that timed out may still be waiting for a disk or a program.
  process.exit(code);
}

function inWords(checks: readonly DoctorCheck[]): string {
  const { paint } = screenOf(process.stdout);
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

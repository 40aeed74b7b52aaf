// What init prints: every file as a diff, what is left alone and why, and what to do next.

import type { Init } from '../../bundles/load-bundle.ts';
import type { DiffLine } from '../../init/diff.ts';
import type { Change, Plan, PlanNote } from '../../init/plan.ts';
import type { Screen } from '../board/screen.ts';
import { shipped } from '../command-line.ts';
import { printable, printableLine } from '../terminal/printable.ts';

/** How many lines are shown of a file that is entirely deepwork's own; --dry-run shows the rest. */
const MAX_OWN_LINES = 12;

type Paint = Screen['paint'];

/** `inFull`: shows every line of every file. */
export function showPlan(paint: Paint, init: Init, plan: Plan, inFull: boolean): string {
  const groups = [...new Set(plan.changes.map(({ group }) => group))];
  const lines = groups.flatMap((group) => [
    paint('bold', printableLine(group)),
    ...plan.changes
      .filter((change) => change.group === group)
      .flatMap((change) => showChange(paint, init, change, inFull)),
    '',
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

function showChange(paint: Paint, init: Init, change: Change, inFull: boolean): string[] {
  const { path, before, after } = change;
  const names = [
    `--- ${before === null ? '/dev/null' : printableLine(path)}`,
    `+++ ${after === null ? '/dev/null' : printableLine(path)}`,
  ].map((line) => paint('bold', line));
  const lines = init.diffLines(before, after);
  // No one has to read the record of what init wrote.
  const max = path === init.RECORD_PATH ? 0 : MAX_OWN_LINES;
  const isCut = change.isOwn && !inFull && lines.length > max + 1;
  const shown = isCut ? max : lines.length;
  const left = lines.length - shown;
  return [
    ...names,
    ...lines.slice(0, shown).map((line) => showLine(paint, line)),
    ...(left > 0 ? [paint('dim', `… ${left} more lines (all of it: --dry-run)`)] : []),
  ];
}

const COLOURS = { '+': 'green', '-': 'red', '@': 'cyan' } as const;

function showLine(paint: Paint, { sign, text }: DiffLine): string {
  const safe = printable(text.replaceAll('\r', ''));
  if (sign === '@') return paint(COLOURS['@'], safe);
  return sign === ' ' ? ` ${safe}` : paint(COLOURS[sign], `${sign}${safe}`);
}

export function showNotes(paint: Paint, notes: readonly PlanNote[]): string {
  return notes
    .map(({ kind, path, text }) => {
      const note = `${printableLine(path)} ${printableLine(text)}`;
      return kind === 'left'
        ? `${paint('yellow', 'Left alone:')} ${note}. Correct it and run this again, or add the entry by hand (${shipped('docs/clients.md')}).\n`
        : `Note: ${note}.\n`;
    })
    .join('');
}

export function warn(paint: Paint, text: string): string {
  return `${paint('yellow', 'Warning:')} ${printableLine(text)}\n`;
}

export const CONNECT = 'deepwork init --clients claude (or another; see --help).';

export interface WrittenSetup {
  readonly clients: readonly { readonly title: string; readonly next: string | null }[];
  /** No client was found, and the person did not ask for none. */
  readonly lacksClient: boolean;
  /** The first job that was written; null if none was. */
  readonly template: string | null;
  /** The names of all jobs that are there now. */
  readonly jobs: readonly string[];
  /** The file that still needs the project's test command; null if none does. */
  readonly testCommandIn: string | null;
  readonly hasCheck: boolean;
  readonly claudeReviews: boolean;
}

export function nextSteps(paint: Paint, written: WrittenSetup): string {
  const { clients, lacksClient, template, jobs, testCommandIn, hasCheck, claudeReviews } = written;
  const steps = clients.map(
    ({ title, next }) => `Restart ${title}${next === null ? '' : `: ${next}`}.`,
  );
  if (lacksClient) {
    steps.push(`Connect a client: ${CONNECT}`);
  }
  if (testCommandIn !== null) {
    steps.push(`Write the command that runs your tests into ${testCommandIn} (check \`tests\`).`);
  }
  const runs = [
    ...(hasCheck ? ['the job has a check, which runs a command here'] : []),
    ...(claudeReviews ? ['claude reviews once you agree to its command'] : []),
  ];
  if (runs.length > 0) steps.push(`Run \`deepwork trust\`: ${runs.join('; ')}.`);
  // The blank job is a pattern for jobs of one's own.
  const job = [template, ...jobs].find((name) => name !== null && name !== 'blank');
  const sentence =
    job === undefined
      ? "Use deepwork's new_job workflow to write a job for …"
      : `Run the ${printableLine(job ?? '')} job with deepwork.`;
  steps.push(`Say to your agent: "${sentence}"`);
  const numbered = steps.map((step, index) => `  ${index + 1}. ${step}\n`).join('');
  return `${paint('bold', 'Next:')}\n${numbered}`;
}

// deepwork lint: every problem of the jobs, guides and settings of a project, where an editor can
// jump to it.

import { homedir } from 'node:os';
import path from 'node:path';
import { styleText } from 'node:util';
import { loadEngine } from '../bundles/load-engine.ts';
import { linkProblem } from '../files/project-path.ts';
import { bundled, projectAt, readOptions } from './command-line.ts';
import { LINT_HELP } from './help.ts';
import { printable } from './printable.ts';

export async function lint(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions('lint', {
    args: [...argv],
    allowPositionals: true,
    options: {
      path: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(LINT_HELP);
    return 0;
  }
  const engine = loadEngine();
  const { jobFolders, guideFolders, otherFolders } = engine;
  const root = projectAt(values.path);
  const { standardJobsDir, standardGuidesDir } = bundled();
  const given = positionals.length > 0;
  const { files, problems, warnings } = given
    ? await engine.lintGiven(positionals)
    : await engine.lintFolders({
        project: root,
        jobs: jobFolders(root, process.env, standardJobsDir),
        guides: guideFolders(root, process.env, homedir(), standardGuidesDir),
        others: otherFolders(root),
        problemOf: (folder) => linkProblem(root, folder),
        settings: await engine.lintSettings(root),
      });

  for (const { file, kind: _, ...found } of files) {
    const shown = printable(path.relative(process.cwd(), file) || file);
    for (const [kind, { kept, left }] of Object.entries(found)) {
      const label =
        kind === 'problems' ? styleText('red', 'problem') : styleText('yellow', 'warning');
      for (const { line, column, message } of kept) {
        process.stdout.write(`${shown}:${line}:${column}: ${label}: ${printable(message)}\n`);
      }
      if (left > 0) process.stdout.write(`${shown}: ${left} more ${kind}\n`);
    }
  }
  const checked = given
    ? `${definitionsIn(files)} checked`
    : bySource(files, root, [standardJobsDir, standardGuidesDir]);
  process.stdout.write(
    `${checked}: ${counted(problems, 'problem')}, ${counted(warnings, 'warning')}\n`,
  );
  return problems > 0 ? 1 : 0;
}

/** A project without jobs is told so, whatever comes with deepwork. */
function bySource(files: readonly Linted[], root: string, ours: readonly string[]): string {
  const isBundled = ({ file }: Linted) => ours.some((folder) => isBelow(folder, file));
  const bundledFiles = files.filter(isBundled);
  const others = files.filter((file) => !isBundled(file));
  const own = others.filter(({ file }) => isBelow(root, file));
  const elsewhere = others.filter(({ kind, file }) => kind !== null && !isBelow(root, file));
  return [
    `${definitionsIn(own)} of this project`,
    ...(elsewhere.length > 0 ? [`${definitionsIn(elsewhere)} from elsewhere`] : []),
    `${definitionsIn(bundledFiles)} bundled`,
  ].join(', ');
}

interface Linted {
  readonly kind: string | null;
  readonly file: string;
}

function definitionsIn(files: readonly Linted[]): string {
  const count = (wanted: string) => files.filter(({ kind }) => kind === wanted).length;
  return `${counted(count('job'), 'job')} and ${counted(count('guide'), 'guide')}`;
}

function isBelow(folder: string, file: string): boolean {
  return file.startsWith(`${folder}${path.sep}`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// deepwork lint: prints every problem of a project's jobs, guides and settings with its position.
// Problems on the paths through a workflow come with a proof.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Engine, loadBundle } from '../../bundles/load-bundle.ts';
import { counted } from '../../core/wording.ts';
import { homeOf } from '../../environment/home.ts';
import { linkProblem } from '../../files/folder-links.ts';
import { screenOf } from '../board/screen.ts';
import { keepOnScreen } from '../board/watch-screen.ts';
import { bundled, readCommandLine, UsageError } from '../command-line.ts';
import { LINT_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { projectAt, requireProjectOrTeam } from '../project.ts';
import { printable } from '../terminal/printable.ts';
import {
  formatResult,
  LINT_FORMATS,
  type LintFinding,
  type LintFormat,
  type LintResult,
} from './formats.ts';
import { meantPath } from './suggest-path.ts';
import { watchPlaces } from './watch-places.ts';

type LintedFile = Awaited<ReturnType<Engine['lintFolders']>>['files'][number];

export async function lint(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'lint', argv, LINT_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  const format = formatNamed(values.format ?? 'text');
  const root = projectAt(io, values.path);
  const paths = positionals.map((each) => path.resolve(io.cwd, each));
  const run = () => lintOnce(io, root, values.path, paths);
  if (values.watch) {
    return keepOnScreen({
      draw: async () => formatResult(screenOf(io), format, (await run()).found),
      isSame: (one, other) => one === other,
      onChange: (changed) => watchPlaces(linted(root, paths), changed),
      io,
      isLive: io.stdout.isTTY === true,
      command: 'deepwork lint',
    });
  }
  const { found, problems } = await run();
  io.stdout.write(formatResult(screenOf(io), format, found));
  return problems > 0 ? 1 : 0;
}

function formatNamed(given: string): LintFormat {
  const format = LINT_FORMATS.find((each) => each === given);
  if (format !== undefined) return format;
  throw new UsageError(`--format must be one of ${LINT_FORMATS.join(', ')}, got ${given}`);
}

async function lintOnce(
  io: Io,
  root: string,
  givenRoot: string | undefined,
  positionals: readonly string[],
): Promise<{ readonly found: LintResult; readonly problems: number }> {
  const engine = loadBundle('engine');
  const { jobFolders, guideFolders, otherFolders } = engine;
  const { standardJobsDir, standardGuidesDir } = bundled();
  const given = positionals.length > 0;
  const foldersOf = (project: string) => ({
    jobs: jobFolders(project, io.env, standardJobsDir),
    guides: guideFolders(project, io.env, homeOf(io.env), standardGuidesDir),
    problemOf: (folder: string) => linkProblem(project, folder),
  });
  // A job of another project refers to the jobs of that one.
  const foldersAround = (folder: string) =>
    [root, path.dirname(path.dirname(folder))]
      .map(foldersOf)
      .find(({ jobs }) => jobs.includes(folder)) ?? null;
  const { files, problems, warnings } = given
    ? await engine.lintPaths(positionals, engine.lintSettings, foldersAround)
    : await engine.lintFolders({
        ...foldersOf(root),
        project: root,
        others: otherFolders(root),
        settings: await engine.lintSettings(root),
      });
  const bundledFolders = [standardJobsDir, standardGuidesDir];
  const isBundled = ({ file }: LintedFile) => bundledFolders.some((each) => isBelow(each, file));
  // Guides may be there without a `.deepwork`.
  if (!given && files.every(isBundled)) requireProjectOrTeam(io, givenRoot);
  const atLeast = files.some(({ problems: { left, stopped } }) => left > 0 || stopped);
  const checked = given ? `${definitionsIn(files)} checked` : bySource(files, root, isBundled);
  const summary = `${checked}: ${atLeast ? 'at least ' : ''}${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`;
  const meant = (file: string) => meantPath(shownName(io, file), foldersOf(root));
  return {
    found: {
      findings: files.flatMap((file) => findingsOf(io, file, meant)),
      more: files.flatMap((file) => leftOut(io, file)),
      summary,
    },
    problems,
  };
}

function shownName({ cwd }: Io, file: string): string {
  return path.relative(cwd, file) || file;
}

function findingsOf(
  io: Io,
  { kind, file, problems, warnings }: LintedFile,
  meant: (file: string) => string | null,
): readonly LintFinding[] {
  const other = kind === null && !existsSync(file) ? meant(file) : null;
  const hint = other === null ? '' : `; did you mean ${shownName(io, other)}?`;
  const both = [
    ...problems.kept.map((issue) => ({ issue, severity: 'problem' as const })),
    ...warnings.kept.map((issue) => ({ issue, severity: 'warning' as const })),
  ];
  return both.map(({ issue: { at, code, message, proof }, severity }) => ({
    file: shownName(io, file),
    line: at.line,
    column: at.column,
    severity,
    code,
    message: `${message}${hint}`,
    proof:
      proof === undefined
        ? null
        : { ...proof, words: loadBundle('engine').describePath(proof.path) },
  }));
}

function leftOut(io: Io, { file, problems, warnings }: LintedFile): readonly string[] {
  const shown = printable(shownName(io, file));
  return Object.entries({ problems, warnings }).flatMap(([kind, { left, stopped }]) => {
    if (left > 0) return [`${shown}: at least ${left} more ${kind}`];
    return stopped ? [`${shown}: there may be more ${kind}`] : [];
  });
}

/** The files and folders that `--watch` watches. */
function linted(root: string, positionals: readonly string[]): readonly string[] {
  if (positionals.length === 0) return [path.join(root, '.deepwork'), path.join(root, 'GOAL.md')];
  // A job's instructions are beside its job.yml.
  return positionals.map((place) =>
    path.basename(place) === 'job.yml' ? path.dirname(place) : place,
  );
}

/** Counts the project's own definitions apart from bundled ones, so that 0 is noticed. */
function bySource(
  files: readonly LintedFile[],
  root: string,
  isBundled: (file: LintedFile) => boolean,
): string {
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

function definitionsIn(files: readonly LintedFile[]): string {
  const count = (wanted: string) => files.filter(({ kind }) => kind === wanted).length;
  return `${counted(count('job'), 'job')} and ${counted(count('guide'), 'guide')}`;
}

function isBelow(folder: string, file: string): boolean {
  return file.startsWith(`${folder}${path.sep}`);
}

// Checks that nested workflows exist and end. This needs all jobs together. A nested run is never
// skipped, so a workflow that runs itself, even indirectly, never ends.

import type { Issue } from '../core/issue.ts';
import { didYouMean } from '../core/nearest.ts';
import type { PlacedRun } from './jobs/job-yml.ts';
import type { KnownDefinition, LintedFile } from './lint-report.ts';
import { inFileOrder } from './reader/issues.ts';
import { quote } from './wording.ts';

/** `isAll`: these files are all definitions there are. */
export function lintRuns(files: readonly LintedFile[], isAll: boolean): readonly LintedFile[] {
  const known = new Map<string, KnownDefinition>();
  for (const { known: each } of files) {
    // Of several with the same name, the first one is run.
    if (each !== undefined && !known.has(each.name)) known.set(each.name, each);
  }
  return files.map((file) => {
    const { name = '', runs = [] } = file.known ?? {};
    const found = runs.flatMap((run): Issue[] => {
      const issue = unknownTarget(run, known, isAll) ?? cycleOf(name, run, known);
      return issue === null ? [] : [{ ...issue, path: run.path, at: run.at }];
    });
    if (found.length === 0) return file;
    const { kept, ...counts } = file.problems;
    return { ...file, problems: inFileOrder({ kept: [...kept, ...found], ...counts }) };
  });
}

type Found = Pick<Issue, 'code' | 'message'>;

function unknownTarget(
  { from, name, job, workflow }: PlacedRun,
  known: ReadonlyMap<string, KnownDefinition>,
  isAll: boolean,
): Found | null {
  const who = `${quote(name)} of workflow ${quote(from)} runs`;
  const target = known.get(job);
  if (target === undefined) {
    if (!isAll) return null;
    const meant = didYouMean(job, [...known.keys()]);
    const message = `${who} workflow ${quote(workflow)} of job ${quote(job)}, and there is no such job${meant}`;
    return { code: 'unknown_workflow', message };
  }
  const { workflows } = target;
  if (workflows === null || workflows.includes(workflow)) return null;
  const meant = didYouMean(workflow, workflows);
  const message = `${who} workflow ${quote(workflow)} of job ${quote(job)}, which has no such workflow${meant}`;
  return { code: 'unknown_workflow', message };
}

/** The shortest cycle from the workflow through this run back to itself. */
function cycleOf(
  own: string,
  run: PlacedRun,
  known: ReadonlyMap<string, KnownDefinition>,
): Found | null {
  const start = { job: own, workflow: run.from };
  const isStart = ({ job, workflow }: Place) => job === own && workflow === run.from;
  const paths: Place[][] = [[start, run]];
  const seen = new Set<string>();
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const last = path.at(-1) as Place;
    if (isStart(last)) {
      const cycle = path.map(({ job, workflow }) => `${job}/${workflow}`).join(' → ');
      const message = `Workflow ${quote(run.from)} runs itself and never ends: ${cycle}`;
      return { code: 'circular_run', message };
    }
    const key = `${last.job}/${last.workflow}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const next = known.get(last.job)?.runs.filter(({ from }) => from === last.workflow) ?? [];
    for (const each of next) paths.push([...path, each]);
  }
  return null;
}

interface Place {
  readonly job: string;
  readonly workflow: string;
}

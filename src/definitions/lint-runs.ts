// Whether what workflows run is there, and comes to an end. That shows only where several jobs are
// looked at together. Nothing skips a nested run, so a workflow that runs itself, by whatever way,
// never ends.

import type { Issue } from '../core/issue.ts';
import { didYouMean } from '../core/nearest.ts';
import type { PlacedRun } from './jobs/job-yml.ts';
import type { KnownDefinition, LintedFile } from './lint-report.ts';
import { inFileOrder } from './reader/issues.ts';
import { quote } from './wording.ts';

/** `isAll`: there is nothing to run but what is in these files. */
export function lintRuns(files: readonly LintedFile[], isAll: boolean): readonly LintedFile[] {
  const known = new Map<string, KnownDefinition>();
  for (const { known: each } of files) {
    // The first of a name is the one that is run.
    if (each !== undefined && !known.has(each.name)) known.set(each.name, each);
  }
  return files.map((file) => {
    const { name = '', runs = [] } = file.known ?? {};
    const found = runs.flatMap((run): Issue[] => {
      const issue = unknownIn(run, known, isAll) ?? circleOf(name, run, known);
      return issue === null ? [] : [{ ...issue, path: run.path, at: run.at }];
    });
    if (found.length === 0) return file;
    const { kept, ...counts } = file.problems;
    return { ...file, problems: inFileOrder({ kept: [...kept, ...found], ...counts }) };
  });
}

type Found = Pick<Issue, 'code' | 'message'>;

function unknownIn(
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

/** The shortest way from what is run back to what runs it. */
function circleOf(
  own: string,
  run: PlacedRun,
  known: ReadonlyMap<string, KnownDefinition>,
): Found | null {
  const start = { job: own, workflow: run.from };
  const isStart = ({ job, workflow }: Place) => job === own && workflow === run.from;
  const ways: Place[][] = [[start, run]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const last = way.at(-1) as Place;
    if (isStart(last)) {
      const words = way.map(({ job, workflow }) => `${job}/${workflow}`).join(' → ');
      const message = `Workflow ${quote(run.from)} runs itself and never ends: ${words}`;
      return { code: 'circular_run', message };
    }
    const key = `${last.job}/${last.workflow}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const next = known.get(last.job)?.runs.filter(({ from }) => from === last.workflow) ?? [];
    for (const each of next) ways.push([...way, each]);
  }
  return null;
}

interface Place {
  readonly job: string;
  readonly workflow: string;
}

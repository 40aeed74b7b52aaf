// Finds what to draw: a workflow as it is on disk now, or a run with its progress. The name of a
// definition takes precedence over the id of a run.

import { Refused, refuse, refusedWith } from '../core/refusal.ts';
import { shown } from '../core/wording.ts';
import type { Workflow } from '../core/workflow.ts';
import type { ProjectBoard } from './board.ts';
import type { WorkflowToDraw } from './drawing/layout.ts';
import type { openDefinitions } from './open-project-board.ts';
import type { Run } from './run.ts';
import { writtenWorkflow } from './run-workflow.ts';

export interface ToDraw {
  readonly title: string;
  /** One line about it. */
  readonly about: string;
  readonly workflow: WorkflowToDraw;
  /** Null: a workflow, not a run. */
  readonly run: Run | null;
}

type Definitions = Pick<ReturnType<typeof openDefinitions>, 'library' | 'guides'>;

/** `job/workflow`, a job with one workflow, a guide, or a run by its id or `last`. */
export async function findToDraw(
  definitions: Definitions,
  board: ProjectBoard,
  wanted: string,
): Promise<ToDraw> {
  const defined = await findDefined(definitions, wanted);
  if (defined !== null) return defined;
  if (!/^(?:last|[0-9a-f]{1,8})$/.test(wanted))
    throw new Refused(await unknown(definitions, wanted));
  const { run, workflow } = await board.run(wanted);
  if (run.unattended !== undefined && workflow.entries.length === 0) {
    throw refusedWith(
      'run_of_team',
      `Run ${run.session_id} is that of a team, which has no drawing`,
      `to see what happened: deepwork history ${run.session_id}`,
    );
  }
  return { title: `${run.workflow} ${run.session_id}`, about: run.goal, workflow, run };
}

async function findDefined(
  { library, guides }: Definitions,
  wanted: string,
): Promise<ToDraw | null> {
  const [jobName = '', ...rest] = wanted.split('/');
  const found = await library.find(jobName);
  if (found.kind === 'broken') throw new Refused(broken(jobName, found.problems));
  if (found.kind === 'job') {
    const { workflows } = found.job;
    const name = rest.join('/');
    const [first] = workflows;
    const only = workflows.length === 1 ? first : undefined;
    const workflow = rest.length === 0 ? only : workflows.find((each) => each.name === name);
    if (workflow === undefined) {
      const names = workflows.map((each) => `${jobName}/${each.name}`).join(', ');
      throw refusedWith(
        'workflow_not_found',
        `'${shown(wanted)}' is not a workflow of the job '${jobName}'`,
        `use one of these: ${names || '(none)'}`,
      );
    }
    return withoutRun(`${jobName}/${workflow.name}`, workflow);
  }
  const guide = rest.length === 0 ? await guides.find(wanted) : null;
  if (guide?.kind === 'invalid') throw new Refused(broken(wanted, guide.file));
  const [workflow] = guide?.kind === 'guide' ? guide.guide.definition.workflows : [];
  return workflow === undefined ? null : withoutRun(wanted, workflow);
}

function withoutRun(title: string, workflow: Workflow): ToDraw {
  return {
    title,
    about: workflow.summary,
    workflow: writtenWorkflow(workflow),
    run: null,
  };
}

function broken(name: string, problems: string) {
  return refuse(
    'definition_broken',
    `'${shown(name)}' cannot be read: ${problems}`,
    'run `deepwork lint` to see every problem.',
  );
}

const MAX_LISTED = 20;

async function unknown({ library, guides }: Definitions, wanted: string) {
  const [{ jobs }, { guides: found }] = await Promise.all([library.list(), guides.list()]);
  const names = [
    ...jobs.flatMap((job) => job.workflows.map(({ name }) => `${job.name}/${name}`)),
    ...found.map(({ id }) => id),
  ];
  const more = names.length > MAX_LISTED ? `, … (${names.length} in all)` : '';
  return refuse(
    'workflow_not_found',
    `There is no workflow '${shown(wanted)}'`,
    `use one of these, or the id of a run: ${names.slice(0, MAX_LISTED).join(', ')}${more}`,
  );
}

// GET /api/definitions: every job and guide, with its drawing, and the problems of the invalid ones.
// Drawings are cached as long as their definitions.

import { pauseIfDue } from '../../async/slices.ts';
import { drawSvg } from '../../board/drawing/draw-svg.ts';
import { layOut } from '../../board/drawing/layout.ts';
import { SCREEN } from '../../board/drawing/medium.ts';
import { writtenWorkflow } from '../../board/run-workflow.ts';
import type { Issue } from '../../core/issue.ts';
import { type DeclaredVariable, listVariables } from '../../core/variables.ts';
import type { Workflow } from '../../core/workflow.ts';
import type { Workspace } from '../../engine/workspace.ts';

interface DefinitionProblem {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

const drawn = new WeakMap<Workflow, string>();

/** As JSON, in slices: a library may have thousands of workflows. */
export async function listDefinitions(workspace: Workspace, canStart: boolean): Promise<string> {
  const jobs: string[] = [];
  for await (const job of jobsOf(workspace)) jobs.push(await written(job));
  const guides: string[] = [];
  for await (const guide of guidesOf(workspace)) guides.push(await written(guide));
  return `{"jobs":[${jobs.join()}],"guides":[${guides.join()}],"can_start":${canStart}}`;
}

async function written(value: unknown): Promise<string> {
  await pauseIfDue();
  return JSON.stringify(value);
}

async function* jobsOf({ library }: Workspace) {
  const { jobs, errors } = await library.list();
  for (const { name, summary, workflows } of jobs) {
    const shown = workflows.map((workflow) => ({
      name: workflow.name,
      summary: workflow.summary,
      drawing_svg: drawingOf(`${name}/${workflow.name}`, workflow),
      start: startOf(name, workflow.name, workflow.inputs ?? []),
      inputs: listVariables(workflow.inputs ?? []),
    }));
    yield { name, summary, workflows: shown, problems: [] };
  }
  for (const { job_name: name, job_dir: dir, error } of errors) {
    const found = await library.at(dir);
    const problems: readonly DefinitionProblem[] =
      found.kind === 'broken' && found.issues.length > 0
        ? found.issues.map((issue) => problemAt(found.file, issue))
        : [{ file: dir, line: null, column: null, message: error }];
    yield { name, summary: '', workflows: [], problems };
  }
}

async function* guidesOf({ guides }: Workspace) {
  const known = await guides.list();
  for (const { id, name, definition } of known.guides) {
    const [workflow] = definition.workflows;
    const drawing_svg = workflow === undefined ? '' : drawingOf(id, workflow);
    yield { id, title: name, drawing_svg, problems: [] };
  }
  for (const { id, file, problems } of known.errors) {
    const found = problems.map((issue) => problemAt(file, issue));
    yield { id, title: id, drawing_svg: '', problems: found };
  }
}

function drawingOf(title: string, workflow: Workflow): string {
  const before = drawn.get(workflow);
  if (before !== undefined) return before;
  const svg = drawSvg(layOut(title, writtenWorkflow(workflow), SCREEN), { styled: false });
  drawn.set(workflow, svg);
  return svg;
}

/** The prompt for an agent. */
function startOf(job: string, workflow: string, inputs: readonly DeclaredVariable[]): string {
  const asked = inputs.filter(({ required }) => required).map(({ name }) => `${name}: …`);
  const given = asked.length === 0 ? '' : `With the inputs ${asked.join(', ')}. `;
  return `Start the deepwork workflow ${job}/${workflow}. ${given}The goal: `;
}

function problemAt(file: string, { at, message }: Issue): DefinitionProblem {
  return { file, line: at.line, column: at.column, message };
}

// A name that a person typed and that nothing here has: what they may have meant, and which names there
// are, as `deepwork run` takes them.

import { nearest } from '../core/nearest.ts';
import { Refused } from '../core/refusal.ts';
import { listStartable } from '../engine/prompts.ts';
import type { Workspace } from '../engine/workspace.ts';

const MAX_LISTED = 20;

/** The same refusal, with what to type instead. */
export async function withNameHints(
  workspace: Workspace,
  wanted: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Refused)) return error;
  const { code } = error.refusal;
  if (code !== 'job_not_found' && code !== 'workflow_not_found') return error;
  const { jobs } = await workspace.library.list();
  const own = jobs.find(({ name }) => name === wanted);
  const names = own
    ? own.workflows.map(({ name }) => `${own.name}/${name}`)
    : (await listStartable(workspace)).map(({ name }) => name);
  // The refusal already says what to do in a project with nothing to run.
  if (names.length === 0) return error;
  const shown = names.slice(0, MAX_LISTED).join(', ');
  const more = names.length > MAX_LISTED ? `, … (${names.length} in all)` : '';
  const short = jobs.filter(({ workflows }) => workflows.length === 1).map(({ name }) => name);
  const meant = own === undefined ? nearest(wanted, [...names, ...short]) : null;
  const next = `${meant === null ? '' : `did you mean '${meant}'? Else `}name the one to run: ${shown}${more}`;
  return new Refused({ ...error.refusal, next });
}

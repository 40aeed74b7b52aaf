// POST /api/runs: a person starts an unattended run of a workflow, with the project's `run` settings.
// POST /api/runs/<id>/stop: a person stops one.

import { isBlank } from '../../core/invisible-characters.ts';
import { jsonObjectIn } from '../../core/is-record.ts';
import { MAX_REASON_LENGTH } from '../../core/session/steering.ts';
import { nameOf } from '../../core/team/question-limits.ts';
import { stopByPerson } from '../../engine/steer.ts';
import type { Workspace } from '../../engine/workspace.ts';
import { systemUser } from '../../environment/process/system-user.ts';
import { type ApiProblem, json, problemAnswer } from './answers.ts';

/** Starts `deepwork run` with these arguments. */
export type StartRun = (args: readonly string[]) => Promise<{ id: string } | { why: string }>;

const MAX_BODY = 1024 * 1024;

export async function startFromPage(
  workspace: Workspace,
  startRun: StartRun | null,
  body: string,
): Promise<Response> {
  const { run } = await workspace.config();
  if (!run.isGiven || startRun === null) return problemAnswer(NOT_CONFIGURED);
  const given = readObject(body);
  const args = given === null ? null : argumentsOf(given);
  if (args === null) return problemAnswer(BAD_START);
  // The log of the run is written there.
  workspace.containment.require(workspace.paths.tmp);
  workspace.prepare();
  const begun = await startRun(args);
  if ('why' in begun) {
    return problemAnswer({ status: 409, code: 'run_not_started', message: begun.why });
  }
  return json({ run_id: begun.id, session_id: begun.id });
}

export async function canStart(workspace: Workspace, startRun: StartRun | null): Promise<boolean> {
  const config = await workspace.config().catch(() => null);
  return startRun !== null && config?.run.isGiven === true;
}

function argumentsOf(given: Readonly<Record<string, unknown>>): string[] | null {
  const { workflow, goal, inputs = {} } = given;
  if (typeof workflow !== 'string' || !/^[^-\s]/.test(workflow)) return null;
  if (typeof goal !== 'string' || isBlank(goal)) return null;
  if (typeof inputs !== 'object' || inputs === null || Array.isArray(inputs)) return null;
  const named = Object.entries(inputs);
  const isText = ([name, value]: [string, unknown]) =>
    typeof value === 'string' && /^[^={]+$/.test(name);
  // Text is read by its declared type, as on a command line; other values have their type already.
  const texts = named.filter(isText).map(([name, value]) => `--inputs=${name}=${value}`);
  const others = Object.fromEntries(named.filter((each) => !isText(each)));
  const values = Object.keys(others).length > 0 ? [`--inputs=${JSON.stringify(others)}`] : [];
  // With `=`, because a goal may look like an option.
  return [workflow, `--goal=${goal}`, ...texts, ...values];
}

export async function stopFromPage(
  workspace: Workspace,
  id: string,
  body: string,
): Promise<Response> {
  const { reason, by = null } = readObject(body) ?? {};
  if (typeof reason !== 'string' || isBlank(reason) || reason.length > MAX_REASON_LENGTH) {
    return problemAnswer({
      ...BAD_START,
      message: `'reason' must be a text of at most ${MAX_REASON_LENGTH} characters.`,
    });
  }
  const person = (typeof by === 'string' ? nameOf(by) : null) ?? systemUser();
  const record = await stopByPerson(workspace, { session: id, person, reason: reason.trim() });
  return json({ run_id: record.id, by: person });
}

function readObject(body: string): Readonly<Record<string, unknown>> | null {
  return body.length > MAX_BODY ? null : jsonObjectIn(body);
}

const NOT_CONFIGURED: ApiProblem = {
  status: 404,
  code: 'run_not_configured',
  message: 'Runs cannot be started from here: `run` is not configured.',
  next: 'write a section `run` into .deepwork/config.yml, or ask an agent to start the workflow.',
};

const BAD_START: ApiProblem = {
  status: 400,
  code: 'invalid_arguments',
  message: "The body must be an object with 'workflow', 'goal' and, if it has any, 'inputs'.",
};

// Makes a person notice that a question waits: the bell, the title and a line on the
// terminal that the server was started from, and the command that `team.notify` names.
// None of it holds up the question, and none of it can answer.

import type { Question } from '../../core/team/state.ts';
import { programEnvironment } from '../../environment/process/program-environment.ts';
import { runCommand } from '../../gate/command.ts';
import { whyNotNotify } from '../trust/command-trust.ts';
import type { Workspace } from '../workspace.ts';

export interface Calling {
  begin(questions: readonly Question[]): void;
  /** Nothing of it is open any more. */
  end(): void;
}

const NOTIFY_MS = 30_000;
const SHOWN = 300;

export function notifyPerson(workspace: Workspace): Calling {
  if (!workspace.notifiesPerson) return { begin() {}, end() {} };
  return {
    begin(questions) {
      ring(questions);
      notify(workspace, questions).catch((error: unknown) => complain(String(error)));
    },
    end() {
      // The title as it was before; a terminal that kept none ignores it.
      if (process.stderr.isTTY) process.stderr.write('\u001b[23;2t');
    },
  };
}

function ring(questions: readonly Question[]): void {
  if (!process.stderr.isTTY) return;
  const ids = questions.map(({ id }) => id).join(', ');
  process.stderr.write(`\u001b[22;2t\u001b]2;deepwork: ${ids} waits for you\u0007\u0007`);
  for (const { id, question } of questions) {
    process.stderr.write(`deepwork: ${id} asks: ${onOneLine(question)} (deepwork answer ${id})\n`);
  }
}

async function notify(workspace: Workspace, questions: readonly Question[]): Promise<void> {
  await notifyOf(
    workspace,
    questions.map(({ id, question, choices, multiSelect, askedAt }) => ({
      ...{ id, question, choices, multiSelect, askedAt },
    })),
  );
}

/** How an unattended run ended, for the command that `team.notify` names. */
export async function notifyOfRun(
  workspace: Workspace,
  told: { readonly run: string; readonly [fact: string]: unknown },
): Promise<void> {
  if (process.stderr.isTTY) process.stderr.write('\u0007');
  await notifyOf(workspace, [{ id: told.run, ...told }]).catch((error: unknown) =>
    complain(String(error)),
  );
}

type Told = { readonly id: string; readonly [fact: string]: unknown };

async function notifyOf(workspace: Workspace, all: readonly Told[]): Promise<void> {
  const { notify: command } = (await workspace.settings()).team;
  if (command === null) return;
  const why = await whyNotNotify(workspace, command);
  if (why !== null) {
    complain(
      `team.notify was not run: ${why}. Look at it and run: deepwork trust --path ${workspace.paths.root}`,
    );
    return;
  }
  for (const each of all) {
    const told = { ...each, project: workspace.paths.root };
    const result = await runCommand({
      argv: [command],
      shell: true,
      root: workspace.paths.root,
      env: programEnvironment(process.env),
      input: `${JSON.stringify(told)}\n`,
      timeoutMs: NOTIFY_MS,
      signal: new AbortController().signal,
      output: { keep: 'tail', limit: 1024 },
    });
    if (result.kind === 'exited' && result.code === 0) continue;
    const how = result.kind === 'exited' ? `exit code ${result.code}` : result.kind;
    complain(`team.notify failed for ${each.id}: ${how}`);
  }
}

function complain(problem: string): void {
  process.stderr.write(`deepwork: ${problem}\n`);
}

/** Safe for a terminal: nothing in it moves the cursor or hides what stands beside it. */
function onOneLine(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return plain.length <= SHOWN ? plain : `${plain.slice(0, SHOWN)}…`;
}

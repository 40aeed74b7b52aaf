// Notifies a person that a question is open: with the bell, the title and a line in the terminal
// that the server was started from, and with the command of `team.notify`. None of it delays the
// question, and none of it can answer it.

import type { Question } from '../../core/team/state.ts';
import { programEnvironment } from '../../environment/process/program-environment.ts';
import { runCommand } from '../../gate/command.ts';
import { whyNotNotify } from '../trust/command-trust.ts';
import type { ErrorOutput, Workspace } from '../workspace.ts';

export interface PersonNotice {
  begin(questions: readonly Question[]): void;
  /** Called when none of the questions is open any more. */
  end(): void;
}

const NOTIFY_TIMEOUT_MS = 30_000;
const MAX_SHOWN_CHARS = 300;

export function notifyPerson(workspace: Workspace): PersonNotice {
  if (!workspace.notifiesPerson) return { begin() {}, end() {} };
  return {
    begin(questions) {
      notifyTerminal(workspace.stderr, questions);
      const facts = questions.map(({ id, question, choices, multiSelect, askedAt }) => {
        return { id, question, choices, multiSelect, askedAt };
      });
      void notifyOf(workspace, facts);
    },
    end() {
      // Restores the title; a terminal that has not saved one ignores this.
      if (workspace.stderr.isTTY) workspace.stderr.write('\u001b[23;2t');
    },
  };
}

function notifyTerminal(stderr: ErrorOutput, questions: readonly Question[]): void {
  if (!stderr.isTTY) return;
  const ids = questions.map(({ id }) => id).join(', ');
  stderr.write(`\u001b[22;2t\u001b]2;deepwork: ${ids} waits for you\u0007\u0007`);
  for (const { id, question } of questions) {
    stderr.write(`deepwork: ${id} asks: ${safeLine(question)} (deepwork answer ${id})\n`);
  }
}

/** Reports the end of an unattended run to the command of `team.notify`. */
export async function notifyOfRun(
  workspace: Workspace,
  facts: { readonly run: string; readonly [fact: string]: unknown },
): Promise<void> {
  if (workspace.stderr.isTTY) workspace.stderr.write('\u0007');
  await notifyOf(workspace, [{ id: facts.run, ...facts }]);
}

type NoticeFacts = { readonly id: string; readonly [fact: string]: unknown };

/** Never rejects: a failure is reported on stderr. */
async function notifyOf(workspace: Workspace, all: readonly NoticeFacts[]): Promise<void> {
  await runNotifier(workspace, all).catch((error: unknown) => warn(workspace, String(error)));
}

async function runNotifier(workspace: Workspace, all: readonly NoticeFacts[]): Promise<void> {
  const { notify: command } = (await workspace.settings()).team;
  if (command === null) return;
  const why = await whyNotNotify(workspace, command);
  if (why !== null) {
    warn(
      workspace,
      `team.notify was not run: ${why}. Review it and run: deepwork trust --path ${workspace.paths.root}`,
    );
    return;
  }
  for (const each of all) {
    const input = { ...each, project: workspace.paths.root };
    const result = await runCommand({
      argv: [command],
      shell: true,
      root: workspace.paths.root,
      env: programEnvironment(workspace.env),
      input: `${JSON.stringify(input)}\n`,
      timeoutMs: NOTIFY_TIMEOUT_MS,
      signal: new AbortController().signal,
      output: { keep: 'tail', limit: 1024 },
    });
    if (result.kind === 'exited' && result.code === 0) continue;
    const how = result.kind === 'exited' ? `exit code ${result.code}` : result.kind;
    warn(workspace, `team.notify failed for ${each.id}: ${how}`);
  }
}

function warn({ stderr }: Workspace, problem: string): void {
  stderr.write(`deepwork: ${problem}\n`);
}

/** Safe for a terminal: without characters that move the cursor or hide other text. */
function safeLine(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return plain.length <= MAX_SHOWN_CHARS ? plain : `${plain.slice(0, MAX_SHOWN_CHARS)}…`;
}

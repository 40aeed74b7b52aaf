// A run that works on a team's goal: `GOAL.md`, and whose turn it is (`core/run/team-turns.ts`). It
// is complete when the coordinator says so, no mail is unread, and `completionGateScript` of
// `GOAL.md` passes.

import path from 'node:path';
import { Refused, refuse, refusedWith } from '../core/refusal.ts';
import type { AgentChoice } from '../core/run/events.ts';
import type { WorkState } from '../core/run/next-move.ts';
import type { RunRecord, TurnEnd } from '../core/run/record.ts';
import { nextInTeam, type TeamTurn, type UnreadMessage } from '../core/run/team-turns.ts';
import type { Agent as TeamAgent } from '../core/team/agents.ts';
import { COORDINATOR } from '../core/team/caller.ts';
import { agentOf, readAt } from '../core/team/inbox.ts';
import type { Team } from '../core/team/state.ts';
import { shownUpTo } from '../core/wording.ts';
import { requireTrustInGate } from '../engine/trust/command-trust.ts';
import { refusalForPerson, whyStopped } from '../engine/trust/required-trust.ts';
import type { Workspace } from '../engine/workspace.ts';
import { programEnvironment } from '../environment/process/program-environment.ts';
import { decodeUtf8, readContained } from '../files/read-contained.ts';
import { realRootOf } from '../files/real-root.ts';
import { runCommand } from '../gate/command.ts';
import { GOAL_FILE } from '../team/agents.ts';
import { type AgentProgram, findAgent } from './agent.ts';
import { answersSince, writeTurnPrompt } from './turn-prompt.ts';
import type { Work } from './work.ts';

const MAX_GOAL = 6000;
const MAX_SAID = 1500;
const MAX_GOAL_BYTES = 1024 * 1024;
const GATE_MS = 300_000;

type GateResult =
  | { readonly kind: 'passed' }
  /** `why`: how it ended; `said`: the end of its output. */
  | { readonly kind: 'failed'; readonly why: string; readonly said: string }
  /** It was not run, and only a person can change that. */
  | { readonly kind: 'untrusted'; readonly why: string };

/** Each agent with its own command, or else with the one chosen for the run. */
export async function agentsOfTeam(
  workspace: Workspace,
  choice: AgentChoice | null,
): Promise<ReadonlyMap<string, AgentProgram>> {
  const found = new Map<string, AgentProgram>();
  for (const { name, command } of await listTeam(workspace)) {
    const own: AgentChoice | null = command === null ? choice : { kind: 'named', name };
    if (own === null) throw new Refused(withoutCommand(name));
    found.set(name, { ...(await findAgent(workspace, own)), name });
  }
  return found;
}

async function listTeam(workspace: Workspace): Promise<readonly TeamAgent[]> {
  const team = await workspace.teamAgents([]);
  if (team.kind === 'agents') return team.agents;
  throw refusedWith(
    'team_broken',
    `Could not read the team definition: ${team.file}: ${team.reason}`,
    `correct ${team.file} and try again.`,
  );
}

function withoutCommand(name: string) {
  return refuse(
    'agent_without_command',
    `Agent '${name}' has no command`,
    'choose one for all agents with --agent or --command, or write one into team.agents of .deepwork/config.yml.',
  );
}

/** The text of `GOAL.md` without its front matter. */
export function readGoalText(root: string): string {
  const found = readContained(realRootOf(root), path.join(root, GOAL_FILE), MAX_GOAL_BYTES);
  const text = found.kind === 'read' ? decodeUtf8(found.bytes) : null;
  if (text === null) {
    throw refusedWith(
      'no_goal',
      `There is no ${GOAL_FILE} in ${root}`,
      `write what the team is for into it.`,
    );
  }
  return text.replace(/^---\n[\s\S]*?\n---\n/, '').trim();
}

export interface TeamWork {
  readonly workspace: Workspace;
  readonly agents: ReadonlyMap<string, AgentProgram>;
}

export function openTeamWork({ workspace, agents }: TeamWork): Work {
  const { team: commands, journal, paths } = workspace;
  /** The result after the last turn; null during a turn. */
  let gate: GateResult | null = null;
  /** What had been done when the last turn began. */
  let doneBefore = '';

  async function nextTurn(record: RunRecord): Promise<TeamTurn> {
    const team = await commands.look();
    const unread = unreadIn(team, commands.modelsOf, agents);
    const { status } = team;
    // The coordinator has to deal with a gate that failed.
    if (status === 'complete' && unread.length === 0) {
      return { agent: COORDINATOR, message: null, ignored: null };
    }
    const turns = record.turns.map(({ agent, startedAt }) => ({ agent, startedAt }));
    return nextInTeam({ status, unread, turns });
  }

  return {
    async state(): Promise<WorkState> {
      const team = await commands.look();
      const questions = [...team.open].filter((id) => team.questions.get(id)?.about === undefined);
      if (questions.length > 0) return { kind: 'waiting', questions };
      if (gate?.kind === 'untrusted') return { kind: 'failed', why: gate.why };
      const unread = unreadIn(team, commands.modelsOf, agents);
      const isComplete =
        team.status === 'complete' && unread.length === 0 && gate?.kind === 'passed';
      return { kind: isComplete ? 'complete' : 'open' };
    },

    async plan(record) {
      const turn = await nextTurn(record);
      const agent = agents.get(turn.agent) as AgentProgram;
      const refused = record.turns.at(-1)?.end?.completeRefused;
      gate = null;
      const configured = (await listTeam(workspace)).find(({ name }) => name === turn.agent);
      return {
        agent,
        identity: identityOf(turn, configured, await commands.look()),
        stack: null,
        stepId: null,
        place: turn.agent,
        prompt: writeTurnPrompt({
          record,
          task: taskOf(turn, readGoalText(paths.root), refused ?? null),
          refused: refusedTo(record, turn.agent),
          answers: await answersSince(workspace, record),
        }),
      };
    },

    async mark() {
      const team = await commands.look();
      const before = stateOf(team);
      doneBefore = doneIn(team);
      return { hasAdvanced: async () => stateOf(await commands.look()) !== before };
    },

    async lastWorkAt() {
      const team = await commands.look();
      return team.notes.at(-1)?.at ?? team.messages.at(-1)?.createdAt ?? null;
    },

    async afterTurn() {
      const team = await commands.look();
      const unread = unreadIn(team, commands.modelsOf, agents);
      if (team.status !== 'complete' || unread.length > 0) return null;
      gate = await runGate(workspace);
      if (gate.kind !== 'failed') return null;
      const { why, said } = gate;
      return { why: `completionGateScript: ${why}`, said, advanced: doneIn(team) !== doneBefore };
    },

    watch(onChange) {
      const ends = [journal.watch('team/', onChange), journal.watch('team_run/', onChange)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** Why the agent's last submission was refused, if the last turn was its own. */
function refusedTo({ turns }: RunRecord, agent: string): string | null {
  const last = turns.at(-1);
  return last?.agent === agent ? (last.end?.refused ?? null) : null;
}

/** Mail to agents that are no longer in the team does not count. */
function unreadIn(
  team: Team,
  modelsOf: Parameters<typeof readAt>[1],
  agents: ReadonlyMap<string, AgentProgram>,
): UnreadMessage[] {
  return team.messages
    .filter((message) => readAt(message, modelsOf) === null && agents.has(agentOf(message.to)))
    .map(({ id, to, createdAt }) => ({ id, to: agentOf(to), createdAt }));
}

/** Everything that counts as a change of the team's state or mail. */
function stateOf(team: Team): string {
  const { status, task, noteCount } = team;
  return JSON.stringify([status, task, noteCount, doneIn(team)]);
}

/** The same without what a team only says about itself. */
function doneIn({ todos, lastMessageId, messages, questions, closed }: Team): string {
  const received = messages.reduce((sum, { readers }) => sum + readers.length, 0);
  return JSON.stringify([todos, lastMessageId, received, questions.size, closed.length]);
}

/** An agent with several models speaks as the first that has not read the message. */
function identityOf(
  { agent, message }: TeamTurn,
  configured: TeamAgent | undefined,
  team: Team,
): string {
  const models = configured?.models ?? [];
  if (models.length < 2) return agent;
  const readers = team.messages.find(({ id }) => id === message)?.readers ?? [];
  const unread = models.find((model) =>
    readers.every(({ reader }) => reader !== `${agent}:${model}`),
  );
  const [, model, variant] = /^(.*?)(?: \((.*)\))?$/.exec(unread ?? (models[0] as string)) ?? [];
  return [agent, model, ...(variant === undefined ? [] : [variant])].join('|');
}

function taskOf(
  { agent, message, ignored }: TeamTurn,
  goal: string,
  refused: TurnEnd['completeRefused'] | null,
) {
  const role =
    agent === COORDINATOR
      ? "You are the coordinator of a team of agents. Plan with project_todowrite, hand out work with send_message, then set the status 'agent-done' with update_workflow_state to let the others work. When the goal is reached and every todo is done, set it to 'complete'."
      : `You are the agent '${agent}' of a team. Read your mail with check_inbox, do what it asks, answer with send_message, and then set the status 'agent-done' with update_workflow_state.`;
  return [
    role,
    ...(message === null ? [] : [`Message ${message} waits for you: check_inbox.`]),
    ...(ignored === null
      ? []
      : [
          `Agent '${ignored.agent}' has left message ${ignored.message} unread in two turns. Decide what to do about it.`,
        ]),
    ...(refused == null
      ? []
      : [`The status 'complete' was not accepted: ${refused.why}\n${refused.said}`]),
    `The goal (${GOAL_FILE}):\n${shownUpTo(goal, MAX_GOAL)}`,
  ].join('\n\n');
}

async function runGate(workspace: Workspace): Promise<GateResult> {
  const { root } = workspace.paths;
  const script = await workspace.completionGate();
  if (script === null) return { kind: 'passed' };
  try {
    await requireTrustInGate(workspace, script);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { kind: 'untrusted', why: whyStopped(refusalForPerson(workspace, error)) };
  }
  const result = await runCommand({
    argv: [script],
    shell: true,
    root,
    env: programEnvironment(workspace.env),
    timeoutMs: GATE_MS,
    signal: new AbortController().signal,
    output: { keep: 'tail', limit: MAX_SAID },
  });
  if (result.kind === 'timed_out') {
    return { kind: 'failed', why: `timed out after ${GATE_MS / 1000} s`, said: saidBy(result) };
  }
  if (result.kind !== 'exited') return { kind: 'failed', why: 'could not be run', said: '' };
  if (result.code === 0) return { kind: 'passed' };
  return { kind: 'failed', why: `exit code ${result.code}`, said: saidBy(result) };
}

function saidBy({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  return `${stdout}${stderr}`.trim().slice(-MAX_SAID);
}

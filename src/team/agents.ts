// Who is in the team of a project, read from its files at each call: the coordinator, and the
// agents of the first source that exists. `.deepwork/config.yml` comes before `GOAL.md`, which
// comes before the agents that have called. A source that cannot be read is never skipped:
// messages would go to the wrong team.

import { join, resolve } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { Refused } from '../core/refusal.ts';
import type { Agent, TeamSource } from '../core/team/agents.ts';
import { COORDINATOR } from '../core/team/caller.ts';
import { onOneLine } from '../core/wording.ts';
import { oneIssue, writeIssue } from '../definitions/reader/issues.ts';
import { agentsOfFlow, type Flow, joinAgents, parseGoal } from '../definitions/team/goal.ts';
import { quote } from '../definitions/wording.ts';
import type { Config } from '../environment/settings/config.ts';
import {
  changedTooRecently,
  type Fingerprint,
  sameFingerprint,
  takeFingerprint,
} from '../files/fingerprint.ts';
import { checkLinks } from '../files/folder-links.ts';
import { isInside } from '../files/inside.ts';
import { type ContainedFile, decodeUtf8, readContained } from '../files/read-contained.ts';
import { realRootOf } from '../files/real-root.ts';

export type TeamAgents =
  | { readonly kind: 'agents'; readonly source: TeamSource; readonly agents: readonly Agent[] }
  /** `Could not read the team definition: <file>: <reason>` */
  | BrokenTeam;

export interface BrokenTeam {
  readonly kind: 'broken';
  readonly file: string;
  readonly reason: string;
}

/** Takes the names of all agents that have called. */
export type ReadTeamAgents = (callers: readonly string[]) => Promise<TeamAgents>;

export const CONFIG_FILE = '.deepwork/config.yml';
export const GOAL_FILE = 'GOAL.md';
const MAX_BYTES = 1024 * 1024;

export type GoalAgents = (
  | { readonly kind: 'none' }
  | { readonly kind: 'agents'; readonly agents: readonly Agent[] }
  | BrokenTeam
) & {
  /** Problems of the front matter, including harmless ones. */
  readonly problems: readonly Issue[];
  /** A command that tells whether an unattended team is done; absent if there is none. */
  readonly gateScript?: string;
};

export type ReadGoal = () => Promise<GoalAgents>;

export function openTeamAgents(
  root: string,
  config: () => Promise<Config>,
  goal: ReadGoal = openGoal(root),
): ReadTeamAgents {
  return async (callers) => {
    const configured = await readConfigured(config);
    if (configured?.kind === 'broken') return configured;
    if (configured !== null) return team('config', configured.agents);
    const planned = await goal();
    if (planned.kind === 'broken') return planned;
    if (planned.kind === 'agents') return team('goal', planned.agents);
    return team('callers', joinAgents(callers, new Map()));
  };
}

/** The coordinator comes first, with its settings from the source. */
function team(source: TeamSource, named: readonly Agent[]): TeamAgents {
  const coordinator = named.find(({ name }) => name === COORDINATOR);
  const others = named.filter(({ name }) => name !== COORDINATOR);
  const first = coordinator ?? { name: COORDINATOR, models: [], command: null };
  return { kind: 'agents', source, agents: [first, ...others] };
}

async function readConfigured(
  config: () => Promise<Config>,
): Promise<{ readonly kind: 'agents'; readonly agents: readonly Agent[] } | BrokenTeam | null> {
  try {
    const { team, teamProblem } = await config();
    if (teamProblem !== null) return broken(CONFIG_FILE, writeIssue(teamProblem));
    return team.agents === null ? null : { kind: 'agents', agents: team.agents };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // The message begins with the file's name, which is added again below.
    return broken(CONFIG_FILE, error.refusal.message.replace(`${CONFIG_FILE} `, ''));
  }
}

/** Reads `GOAL.md` again only when it, or the flow file it names, has changed. */
export function openGoal(projectRoot: string): ReadGoal {
  const root = resolve(projectRoot);
  let kept: { files: readonly SeenFile[]; agents: GoalAgents } | null = null;
  return async () => {
    if (kept?.files.every(isUnchanged)) return kept.agents;
    const goal = join(root, GOAL_FILE);
    const files: SeenFile[] = [{ path: goal, print: takeFingerprint(goal) }];
    const readAt = Date.now();
    const agents = await readGoal(root, (path) => {
      files.push({ path, print: takeFingerprint(path) });
    });
    // A broken file may be fixed in ways that a fingerprint does not show.
    const lasting = files.every(
      ({ print }) => print.kind !== 'failed' && !changedTooRecently(print, readAt),
    );
    kept = lasting && agents.kind !== 'broken' ? { files, agents } : null;
    return agents;
  };
}

async function readGoal(root: string, uses: (path: string) => void): Promise<GoalAgents> {
  const file = readText(root, join(root, GOAL_FILE));
  if (file.kind === 'missing') {
    const links = checkLinks(root, join(root, GOAL_FILE));
    if (links.kind === 'allowed') return { kind: 'none', problems: [] };
    return unreadable('is a symbolic link that leads nowhere');
  }
  if (file.kind === 'fault') return unreadable(file.why);
  const { problems, flowAt, gateScript, ...goal } = await parseGoal(file.text);
  const gate = gateScript === undefined ? {} : { gateScript };
  // Unknown keys are harmless.
  const first = problems.find(({ code }) => code !== 'unknown_key');
  if (goal.kind === 'none') return { kind: 'none', problems, ...gate };
  if (goal.kind === 'broken') {
    return { ...broken(GOAL_FILE, first === undefined ? '' : writeIssue(first)), problems };
  }
  if (goal.flow === null) {
    return { kind: 'agents', agents: joinAgents([], goal.models), problems, ...gate };
  }
  const wrongFlow = (team: BrokenTeam): GoalAgents => {
    const at = team.file === GOAL_FILE ? '' : `${team.file}: `;
    const message = `flow: ${at}${team.reason}`;
    const found = { code: 'wrong_flow', path: ['flow'], at: flowAt, message } as const;
    return { ...team, problems: [...problems, found] };
  };
  const flow = await readFlow(root, goal.flow, uses);
  if (flow.kind === 'broken') return wrongFlow(flow);
  const named = agentsOfFlow(flow.text);
  if (named.kind === 'broken') return wrongFlow(broken(flow.file, named.reason));
  return { kind: 'agents', agents: joinAgents(named.names, goal.models), problems, ...gate };
}

function unreadable(why: string): GoalAgents {
  return { ...broken(GOAL_FILE, why), problems: oneIssue('unreadable', why).kept };
}

async function readFlow(
  root: string,
  flow: Flow,
  uses: (path: string) => void,
): Promise<{ readonly kind: 'flow'; readonly text: string; readonly file: string } | BrokenTeam> {
  if (flow.kind === 'text') return { kind: 'flow', text: flow.text, file: GOAL_FILE };
  const file = onOneLine(flow.file);
  const path = resolve(root, flow.file);
  // Checked before touching the disk, so that callers cannot probe for files elsewhere.
  if (!isInside(root, path)) {
    return broken(GOAL_FILE, `flow file ${quote(file)} ${outside(root)}`);
  }
  uses(path);
  const read = readText(root, path);
  if (read.kind === 'missing') return broken(GOAL_FILE, `flow file ${quote(file)} does not exist`);
  if (read.kind === 'fault') return broken(GOAL_FILE, `flow file ${quote(file)} ${read.why}`);
  return { kind: 'flow', text: read.text, file };
}

/** Names the workspace, because the file may be meant for another project. */
function outside(root: string): string {
  return `is outside the workspace ${root}`;
}

type Text =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'fault'; readonly why: string };

function readText(root: string, path: string): Text {
  const found = readContained(realRootOf(root), path, MAX_BYTES);
  if (found.kind === 'missing') return found;
  if (found.kind !== 'read') return { kind: 'fault', why: faultOf(root, found) };
  const text = decodeUtf8(found.bytes);
  return text === null ? { kind: 'fault', why: 'is not UTF-8 text' } : { kind: 'text', text };
}

function faultOf(
  root: string,
  found: Exclude<ContainedFile, { kind: 'read' | 'missing' }>,
): string {
  if (found.kind === 'outside') return outside(root);
  if (found.kind === 'not-regular') return 'is not a regular file';
  return found.kind === 'too-large' ? 'is larger than 1 MiB' : `cannot be read: ${found.why}`;
}

function broken(file: string, reason: string): BrokenTeam {
  return { kind: 'broken', file, reason };
}

interface SeenFile {
  readonly path: string;
  readonly print: Fingerprint;
}

function isUnchanged({ path, print }: SeenFile): boolean {
  return sameFingerprint(print, takeFingerprint(path));
}

// The `team` section of `.deepwork/config.yml`.

import type { Issue, Path } from '../../core/issue.ts';
import { type Agent, nameProblem, readModel } from '../../core/team/agents.ts';
import { looksLike } from '../../core/team/look-alikes.ts';
import {
  boolean,
  closedMap,
  emptyText,
  list,
  type Read,
  required,
  text,
} from '../../definitions/reader/fields.ts';
import { isWarning, pathOfIssue, type Report } from '../../definitions/reader/issues.ts';
import { quote } from '../../definitions/wording.ts';
import { command, count, plainCommand, readChecked, setting } from './config-fields.ts';

export interface TeamConfig {
  /** Null if the file does not define the team. */
  readonly agents: readonly Agent[] | null;
  readonly tokens: boolean | null;
  readonly allowedHosts: readonly string[] | null;
  readonly questionWaitSeconds: number | null;
  /** A command to run for new questions. */
  readonly notify: string | null;
}

export const NO_TEAM: TeamConfig = {
  agents: null,
  tokens: null,
  allowedHosts: null,
  questionWaitSeconds: null,
  notify: null,
};

const MAX_AGENTS = 1000;
const MAX_MODELS = 100;
const MAX_HOSTS = 100;
/** A name or an address, IPv6 in brackets, perhaps with a port. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?)(:\d{1,5})?$/i;

const readModels: Read<string[] | null> = (node, path, to) => {
  const models = upTo(MAX_MODELS, list(text)(node, path, to) ?? [], path, to);
  const read = models.flatMap(({ value, path: at }) => {
    const model = value === '' ? null : readModel(value);
    if (model === null && value !== '') {
      to.add('wrong_value', at, `${quote(value, 60)} cannot be the name of a model`);
    }
    return model === null ? [] : [model];
  });
  return [...new Set(read)];
};

const AGENT_FIELDS = {
  name: required(text, emptyText),
  models: setting(readModels),
  command: setting(plainCommand),
};
const readAgent = closedMap(AGENT_FIELDS);

const readAgents: Read<Agent[] | null> = (node, path, to) => {
  const found = list(readAgent)(node, path, to);
  if (found === null) return null;
  const names = new Set<string>();
  return upTo(MAX_AGENTS, found, path, to).map((agent) => {
    const { name, models, command } = agent;
    const problem = name.value === '' ? null : agentProblem(name.value, names);
    if (problem !== null) to.add('wrong_value', name.path, problem);
    names.add(name.value);
    return { name: name.value, models: models ?? [], command };
  });
};

function agentProblem(name: string, others: ReadonlySet<string>): string | null {
  const problem = nameProblem(name);
  if (problem !== null) return `${quote(name, 60)} ${problem}`;
  if (others.has(name)) return `${quote(name, 60)} is listed twice`;
  const twin = looksLike(name, others);
  return twin === null ? null : `${quote(name, 60)} looks like ${quote(twin, 60)}`;
}

/** Drops invalid hosts, so that fewer are allowed. */
const readHosts: Read<string[] | null> = (node, path, to) => {
  const hosts = upTo(MAX_HOSTS, list(text)(node, path, to) ?? [], path, to);
  return hosts.flatMap(({ value, path: at }) => {
    if (value === '' || (value.length < 260 && HOST.test(value)))
      return value === '' ? [] : [value];
    const message = `expected the name of a host such as build.example.org, found ${quote(value, 60)}`;
    to.add('wrong_value', at, message);
    return [];
  });
};

/** The intent of an invalid value is unknown; requiring tokens is the safer reading. */
const readTokens: Read<boolean | null> = (node, path, to) => {
  const { value, isValid } = readChecked(boolean, node, path, to);
  return !isValid || value;
};

function upTo<T>(max: number, items: T[], path: Path, to: Report): T[] {
  if (items.length > max) {
    to.add('too_many', path, `expected at most ${max} items, found ${items.length}`);
  }
  return items.slice(0, max);
}

const TEAM_FIELDS = {
  agents: setting(readAgents),
  tokens: setting(readTokens),
  allowed_hosts: setting(readHosts),
  question_wait_seconds: setting(count),
  notify: setting(command),
};
const readTeamMap = closedMap(TEAM_FIELDS);

export const TEAM_KEYS = Object.keys(TEAM_FIELDS);
export const AGENT_KEYS = Object.keys(AGENT_FIELDS);

export const readTeam: Read<TeamConfig> = (node, path, to) => {
  const { agents, tokens, allowed_hosts, question_wait_seconds, notify } = readTeamMap(
    node,
    path,
    to,
  );
  return {
    agents,
    // As with an invalid value: the intent of a section that is not a map is unknown.
    tokens: node.kind === 'map' ? tokens : true,
    allowedHosts: allowed_hosts,
    questionWaitSeconds: question_wait_seconds,
    notify,
  };
};

/** The first problem that makes it unclear who is in the team: in the section's keys or agents. */
export function teamProblem(problems: readonly Issue[]): Issue | null {
  const concerns = (issue: Issue) => {
    const [section, key] = pathOfIssue(issue);
    return !isWarning(issue) && section === 'team' && (key === undefined || key === 'agents');
  };
  return problems.find(concerns) ?? null;
}

// The `team` section of `.deepwork/config.yml`.

import { type Agent, faultOfName, readModel } from '../core/team/agents.ts';
import { looksLike } from '../core/team/look-alikes.ts';
import {
  boolean,
  closedMap,
  emptyText,
  list,
  type Read,
  required,
  type ShapeReport,
  text,
} from '../definitions/read-fields.ts';
import type { SettingProblem } from '../definitions/settings-log.ts';
import { quote } from '../definitions/wording.ts';
import type { Path } from '../definitions/yaml-node.ts';
import { command, count, plainCommand, setting } from './config-fields.ts';

export interface TeamConfig {
  /** Null: the file does not say who is in the team. */
  readonly agents: readonly Agent[] | null;
  readonly tokens: boolean | null;
  readonly allowedHosts: readonly string[] | null;
  readonly questionWaitSeconds: number | null;
  /** A command that is told of new questions. */
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
  const models = upTo(MAX_MODELS, list(text)(node, path, to) ?? [], path, node.at, to);
  const read = models.flatMap(({ value, at }, index) => {
    const model = value === '' ? null : readModel(value);
    if (model === null && value !== '') {
      to.add([...path, index], at, `${quote(value, 60)} cannot be the name of a model`);
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
  return upTo(MAX_AGENTS, found, path, node.at, to).map((agent, index) => {
    const { name, models, command } = agent;
    const fault = name.value === '' ? null : faultOfAgent(name.value, names);
    if (fault !== null) to.add([...path, index, 'name'], name.at, fault);
    names.add(name.value);
    return { name: name.value, models: models ?? [], command };
  });
};

function faultOfAgent(name: string, others: ReadonlySet<string>): string | null {
  const fault = faultOfName(name);
  if (fault !== null) return `${quote(name, 60)} ${fault}`;
  if (others.has(name)) return `${quote(name, 60)} is there twice`;
  const twin = looksLike(name, others);
  return twin === null ? null : `${quote(name, 60)} looks like ${quote(twin, 60)}`;
}

/** A host that is none is left out: fewer hosts are let in. */
const readHosts: Read<string[] | null> = (node, path, to) => {
  const hosts = upTo(MAX_HOSTS, list(text)(node, path, to) ?? [], path, node.at, to);
  return hosts.flatMap(({ value, at }, index) => {
    if (value === '' || (value.length < 260 && HOST.test(value)))
      return value === '' ? [] : [value];
    const told = `expected the name of a host such as build.example.org, found ${quote(value, 60)}`;
    to.add([...path, index], at, told);
    return [];
  });
};

/** What was meant by a wrong value is not known; asking for tokens is the safer reading. */
const readTokens: Read<boolean | null> = (node, path, to) => {
  let wrong = false;
  const value = boolean(node, path, {
    add: (...problem) => {
      wrong = true;
      to.add(...problem);
    },
    full: to.full,
  });
  return wrong || value;
};

function upTo<T>(most: number, items: T[], path: Path, at: number, to: ShapeReport): T[] {
  if (items.length > most)
    to.add(path, at, `expected at most ${most} items, found ${items.length}`);
  return items.slice(0, most);
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
    // As with a wrong value: what a section that is no map was to say is not known.
    tokens: node.kind === 'map' ? tokens : true,
    allowedHosts: allowed_hosts,
    questionWaitSeconds: question_wait_seconds,
    notify,
  };
};

/** The first problem that leaves open who is in the team: of the section's keys, or its agents. */
export function faultOfTeam(problems: readonly SettingProblem[]): SettingProblem | null {
  const concerns = ({ path: [section, key], isWarning }: SettingProblem) =>
    !isWarning && section === 'team' && (key === undefined || key === 'agents');
  return problems.find(concerns) ?? null;
}

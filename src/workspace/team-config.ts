// The `team` section of `.deepwork/config.yml`. Unlike the rest of the file it belongs to
// us alone, so a key that means nothing is a mistake: a misspelt `allowed_hosts` must not
// pass for an empty one.

import { type Agent, faultOfName, readModel } from '../core/team/agents.ts';
import { looksLike } from '../core/team/look-alikes.ts';
import { shown } from '../core/wording.ts';

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

/** How the rest of the file is read, and how it says what is wrong. */
export interface Readers {
  section(value: unknown, key: string): Record<string, unknown>;
  command(value: unknown, key: string): string | null;
  count(value: unknown, key: string): number | null;
  bad(problem: string): Error;
}

const KEYS = ['agents', 'tokens', 'allowed_hosts', 'question_wait_seconds', 'notify'];
const AGENT_KEYS = ['name', 'models', 'command'];
const MOST_AGENTS = 1000;
const MOST_MODELS = 100;
const MOST_HOSTS = 100;
/** A name or an address, IPv6 in brackets, perhaps with a port. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?)(:\d{1,5})?$/i;

export function readTeamConfig(value: unknown, readers: Readers): TeamConfig {
  const { section, command, count, bad } = readers;
  if (value === undefined || value === null) return NO_TEAM;
  const team = section(value, 'team');
  refuseOthers(team, KEYS, 'team', bad);
  return {
    agents: readAgents(team.agents, readers),
    tokens: readSwitch(team.tokens, bad),
    allowedHosts: readHosts(team.allowed_hosts, bad),
    questionWaitSeconds: count(team.question_wait_seconds, 'team.question_wait_seconds'),
    notify: command(team.notify, 'team.notify'),
  };
}

function readAgents(value: unknown, { section, command, bad }: Readers): Agent[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value) || value.length > MOST_AGENTS) {
    throw bad(`'team.agents' must be a list of at most ${MOST_AGENTS} agents`);
  }
  const names = new Set<string>();
  return value.map((item: unknown, index) => {
    const key = `team.agents[${index}]`;
    const agent = section(item, key);
    refuseOthers(agent, AGENT_KEYS, key, bad);
    const { name } = agent;
    if (typeof name !== 'string') throw bad(`'${key}.name' must be the name of an agent`);
    const fault = faultOfName(name);
    if (fault !== null) throw bad(`'${key}.name' ${fault}`);
    if (names.has(name)) throw bad(`'${key}.name': '${name}' is there twice`);
    const twin = looksLike(name, names);
    if (twin !== null) throw bad(`'${key}.name': '${name}' looks like '${twin}'`);
    names.add(name);
    return {
      name,
      models: readModels(agent.models, `${key}.models`, bad),
      command: command(agent.command, `${key}.command`),
    };
  });
}

function readModels(value: unknown, key: string, bad: Readers['bad']): string[] {
  if (value === undefined || value === null) return [];
  const models = Array.isArray(value) && value.length <= MOST_MODELS ? value : null;
  const read = models?.map((each) => (typeof each === 'string' ? readModel(each) : null));
  if (!read?.every((model) => model !== null)) {
    throw bad(`'${key}' must be a list of models, each as text`);
  }
  return [...new Set(read)];
}

function readSwitch(value: unknown, bad: Readers['bad']): boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'boolean') throw bad("'team.tokens' must be true or false");
  return value;
}

function readHosts(value: unknown, bad: Readers['bad']): string[] | null {
  if (value === undefined || value === null) return null;
  const fits = (host: unknown) => typeof host === 'string' && host.length < 260 && HOST.test(host);
  if (!Array.isArray(value) || value.length > MOST_HOSTS || !value.every(fits)) {
    throw bad("'team.allowed_hosts' must be a list of host names such as build.example.org");
  }
  return value as string[];
}

function refuseOthers(
  given: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  where: string,
  bad: Readers['bad'],
): void {
  const other = Object.keys(given).find((key) => !keys.includes(key));
  if (other !== undefined) {
    throw bad(`'${where}.${shown(other)}' is not a setting; there are ${keys.join(', ')}`);
  }
}

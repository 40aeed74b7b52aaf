import { expect, it } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { parseConfig } from './config.ts';
import { settle } from './settings.ts';

const teamOf = async (text: string) => (await parseConfig(text)).team;

it('reads the whole section', async () => {
  verifies('TEAM-17');
  const text = `team:
  agents:
    - name: reviewer
      models: [vendor/a, "vendor/b (high)", vendor/a]
      command: run-reviewer --now
    - name: writer
  tokens: true
  allowed_hosts: [build.example.org, "10.0.0.7:8080", "[::1]"]
  question_wait_seconds: 20
  notify: notify-send deepwork
`;
  expect(await teamOf(text)).toEqual({
    agents: [
      {
        name: 'reviewer',
        models: ['vendor/a', 'vendor/b (high)'],
        command: 'run-reviewer --now',
      },
      { name: 'writer', models: [], command: null },
    ],
    tokens: true,
    allowedHosts: ['build.example.org', '10.0.0.7:8080', '[::1]'],
    questionWaitSeconds: 20,
    notify: 'notify-send deepwork',
  });
});

it('has defaults', async () => {
  for (const text of ['', 'team:', 'team: {agents: }', 'git: {branch: off}']) {
    const config = await parseConfig(text);
    expect(config.team.agents).toBeNull();
    expect(settle({}, config).team).toEqual({
      tokens: false,
      allowedHosts: [],
      questionWaitSeconds: 45,
      notify: null,
    });
  }
});

it.each([
  ['[]', "'team' must be a map of settings"],
  ['{agent: []}', "'team.agent' is not a setting; there are agents, tokens, allowed_hosts"],
  ['{agents: {}}', "'team.agents' must be a list"],
  ['{agents: [x]}', "'team.agents[0]' must be a map of settings"],
  ['{agents: [{}]}', "'team.agents[0].name' must be the name of an agent"],
  ['{agents: [{name: "a:b"}]}', "'team.agents[0].name' must not contain '|' or ':'"],
  ['{agents: [{name: a}, {name: a}]}', "'team.agents[1].name': 'a' is there twice"],
  ['{agents: [{name: a, model: m}]}', "'team.agents[0].model' is not a setting"],
  ['{agents: [{name: a, models: m}]}', "'team.agents[0].models' must be a list of models"],
  ['{agents: [{name: a, models: [""]}]}', "'team.agents[0].models' must be a list of models"],
  ['{agents: [{name: a, command: []}]}', "'team.agents[0].command' must be a command"],
  ['{tokens: "yes"}', "'team.tokens' must be true or false"],
  ['{allowed_hosts: x}', "'team.allowed_hosts' must be a list of host names"],
  ['{allowed_hosts: ["http://x/"]}', "'team.allowed_hosts' must be a list of host names"],
  ['{allowed_hosts: ["*"]}', "'team.allowed_hosts' must be a list of host names"],
  ['{question_wait_seconds: 0}', "'team.question_wait_seconds' must be a whole number"],
  ['{notify: ""}', "'team.notify' must be a command"],
])('refuses team: %s', async (section, words) => {
  await expect(teamOf(`team: ${section}`)).rejects.toThrow(words);
});

it('refuses a file that is nested past all reason', async () => {
  await expect(parseConfig('['.repeat(100_000))).rejects.toThrow(
    '.deepwork/config.yml cannot be read',
  );
});

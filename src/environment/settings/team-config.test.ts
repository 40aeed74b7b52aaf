import { expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { parseConfig } from './config.ts';
import { effectiveSettings } from './settings.ts';

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
    expect(effectiveSettings({}, config).team).toEqual({
      tokens: false,
      allowedHosts: [],
      questionWaitSeconds: 45,
      notify: null,
    });
  }
});

it.each([
  ['[]', 'team: expected a map with the keys agents, tokens, allowed_hosts'],
  ['{agent: []}', "team: unknown key 'agent'; did you mean 'agents'?"],
  ['{agents: {}}', 'team.agents: expected a list, found a map'],
  ['{agents: [x]}', 'team.agents[0]: expected a map with the keys name, models, command'],
  ['{agents: [{}]}', "team.agents[0]: missing required key 'name'"],
  ['{agents: [{name: "a:b"}]}', "team.agents[0].name: 'a:b' must not contain '|' or ':'"],
  ['{agents: [{name: a}, {name: a}]}', "team.agents[1].name: 'a' is listed twice"],
  [
    '{agents: [{name: a, model: m}]}',
    "team.agents[0]: unknown key 'model'; did you mean 'models'?",
  ],
  ['{agents: [{name: a, models: m}]}', 'team.agents[0].models: expected a list'],
  ['{agents: [{name: a, models: [""]}]}', 'team.agents[0].models[0]: expected text'],
  ['{agents: [{name: a, models: ["a|b"]}]}', "team.agents[0].models[0]: 'a|b' cannot be the name"],
  ['{agents: [{name: a, command: []}]}', 'team.agents[0].command: expected text, found a list'],
  ['{tokens: "yes"}', "team.tokens: expected true or false, found the text 'yes'"],
  ['{allowed_hosts: x}', 'team.allowed_hosts: expected a list'],
  ['{allowed_hosts: ["http://x/"]}', 'team.allowed_hosts[0]: expected the name of a host'],
  ['{allowed_hosts: ["*"]}', 'team.allowed_hosts[0]: expected the name of a host'],
  ['{question_wait_seconds: 0}', 'team.question_wait_seconds: expected a whole number'],
  ['{notify: ""}', 'team.notify: expected text, found an empty text'],
])('reports team: %s', async (section, words) => {
  const { problems } = await parseConfig(`team: ${section}`);
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
});

it('reports a file that is nested too deeply', async () => {
  const { problems } = await parseConfig('['.repeat(100_000));
  expect(problems).toMatchObject([{ message: expect.stringContaining('cannot be read') }]);
});

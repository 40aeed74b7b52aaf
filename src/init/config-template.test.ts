// The settings of a new project leave overrides to a person, and change nothing else; uncommented, they
// are all settings with their defaults.

import { expect, test } from 'vitest';
import { CONFIG_KEYS, parseConfig } from '../environment/settings/config.ts';
import { effectiveSettings } from '../environment/settings/settings.ts';
import { AGENT_KEYS, TEAM_KEYS } from '../environment/settings/team-config.ts';
import { configText } from './config-template.ts';

const CONFIG_TEXT = configText(false);
const OWN = 'quality_gate: {overrides: person}';

/** Without the first paragraph, which is about the file. */
const UNCOMMENTED = CONFIG_TEXT.split('\n\n').slice(1).join('\n\n').replaceAll(/^# ?/gm, '');

test('as written, it leaves overrides to a person, sets nothing else and has no problem', async () => {
  expect(await parseConfig(CONFIG_TEXT)).toEqual(await parseConfig(OWN));
});

test('with claude as the reviewer, it gets reading tools and nothing of the project', async () => {
  const config = await parseConfig(configText(true));
  const agentReviewCommand =
    'claude --print --tools Read,Grep,Glob --strict-mcp-config --setting-sources user';
  expect(config).toEqual({ ...(await parseConfig(OWN)), agentReviewCommand });
});

test('uncommented, it has no problem and holds the defaults', async () => {
  const config = await parseConfig(UNCOMMENTED);
  expect(config.problems).toEqual([]);
  expect(effectiveSettings({}, config)).toEqual(effectiveSettings({}, await parseConfig(OWN)));
});

test('a limit that holds only if it is set is marked as an example', async () => {
  const { run } = await parseConfig(UNCOMMENTED);
  expect(run).toMatchObject({ maxMinutes: 60, maxTurns: 40, maxUsd: 10 });
  for (const key of ['max_minutes', 'max_turns', 'max_usd']) {
    expect(CONFIG_TEXT).toMatch(new RegExp(`^# +${key}: .*# an example`, 'm'));
  }
  const [about = ''] = CONFIG_TEXT.split('\n\n');
  expect(about).toContain('unless it says that it is an example');
});

test('it shows every key', () => {
  const { root, ...sections } = CONFIG_KEYS;
  // Has no effect; kept for older tools.
  const shown = root.filter((key) => !['version', 'platforms'].includes(key));
  for (const key of [...shown, ...Object.values(sections).flat(), ...TEAM_KEYS, ...AGENT_KEYS]) {
    expect(UNCOMMENTED).toMatch(new RegExp(`^ *(?:- )?${key}:`, 'm'));
  }
});

test('it fits a terminal of 80 columns, as a diff, too', () => {
  for (const text of [CONFIG_TEXT, configText(true)]) {
    expect(text.split('\n').filter((line) => line.length > 79)).toEqual([]);
  }
});

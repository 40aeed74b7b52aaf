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

test('it shows every key', () => {
  const { root, ...sections } = CONFIG_KEYS;
  // Has no effect; kept for older tools.
  const shown = root.filter((key) => !['version', 'platforms'].includes(key));
  for (const key of [...shown, ...Object.values(sections).flat(), ...TEAM_KEYS, ...AGENT_KEYS]) {
    expect(UNCOMMENTED).toMatch(new RegExp(`^ *(?:- )?${key}:`, 'm'));
  }
});

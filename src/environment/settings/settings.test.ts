// Options override `.deepwork/config.yml`, which overrides the defaults, setting by setting.

import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { parseConfig } from './config.ts';
import { effectiveSettings, type Overrides } from './settings.ts';

const settingsFor = async (given: Overrides, config = '') =>
  effectiveSettings(given, await parseConfig(config));

test.each([
  ['timeoutSeconds', 120, 'default_timeout', 33, { qualityGateTimeout: 44 }],
  ['maxAttempts', 3, 'default_max_attempts', 5, { qualityGateMaxAttempts: 44 }],
  ['maxParallel', 4, 'max_parallel', 7, { maxParallelReviews: 44 }],
  ['answerWithinSeconds', 45, 'answer_within', 44, {}],
] as const)('%s: the default is %d, then quality_gate.%s, then the option', async (...row) => {
  verifies('JOBS-X.24', 'JOBS-REQ-001.1.4', 'JOBS-REQ-001.1.5');
  const [setting, otherwise, key, inConfig, option] = row;
  const config = `quality_gate: {${key}: ${inConfig}}\n`;
  expect((await settingsFor({}))[setting]).toBe(otherwise);
  expect((await settingsFor({}, config))[setting]).toBe(inConfig);
  expect((await settingsFor(option, config))[setting]).toBe(44);
});

const OPTION = { agentReviewCommand: 'of-option' };
const RUNNER = { externalRunner: 'claude' } as const;
const OF_CONFIG = { kind: 'command', command: 'of-config', from: 'config' };
const OF_OPTION = { kind: 'command', command: 'of-option', from: 'option' };
const OF_RUNNER = { kind: 'runner', runner: 'claude' };

test.each<[string, Overrides, unknown]>([
  ['a command of the config', {}, OF_CONFIG],
  ['no command beats the config', { agentReviewCommand: null }, { kind: 'self' }],
  ['no runner beats the config', { externalRunner: null }, { kind: 'self' }],
  ['a runner without a command beats it', { ...RUNNER, agentReviewCommand: null }, OF_RUNNER],
  ['a runner beats the config', RUNNER, OF_RUNNER],
  ['a command beats a runner and the config', { ...RUNNER, ...OPTION }, OF_OPTION],
  ['off beats all', { ...RUNNER, ...OPTION, enableQualityGate: false }, { kind: 'off' }],
])('the reviewer: %s', async (_what, given, reviewer) => {
  const config = 'quality_gate: {agent_review_command: of-config}\n';
  expect((await settingsFor(given, config)).reviewer).toEqual(reviewer);
  expect((await settingsFor({})).reviewer, 'by default, the author').toEqual({ kind: 'self' });
});

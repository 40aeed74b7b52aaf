// Options override `.deepwork/config.yml`, which overrides the defaults, setting by setting.

import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { parseConfig } from './config.ts';
import { effectiveSettings, type Overrides, type Settings } from './settings.ts';

async function settingsFor(given: Overrides, config = ''): Promise<Settings> {
  return effectiveSettings(given, await parseConfig(config));
}

interface Case {
  readonly setting: keyof Settings;
  readonly otherwise: unknown;
  readonly key: string;
  readonly inConfig: unknown;
  readonly option?: { readonly name: keyof Overrides; readonly value: unknown };
}

const CASES: readonly Case[] = [
  {
    setting: 'timeoutSeconds',
    otherwise: 120,
    key: 'default_timeout',
    inConfig: 33,
    option: { name: 'qualityGateTimeout', value: 44 },
  },
  {
    setting: 'maxAttempts',
    otherwise: 3,
    key: 'default_max_attempts',
    inConfig: 5,
    option: { name: 'qualityGateMaxAttempts', value: 6 },
  },
  {
    setting: 'maxParallel',
    otherwise: 4,
    key: 'max_parallel',
    inConfig: 7,
    option: { name: 'maxParallelReviews', value: 8 },
  },
  { setting: 'answerWithinSeconds', otherwise: 45, key: 'answer_within', inConfig: 9 },
];

test.each(CASES)('$setting: the option, else quality_gate.$key, else $otherwise', async (each) => {
  verifies('JOBS-X.24', 'JOBS-REQ-001.1.4', 'JOBS-REQ-001.1.5');
  const { setting, otherwise, key, inConfig, option } = each;
  const config = `quality_gate: {${key}: ${inConfig}}\n`;
  expect((await settingsFor({}))[setting]).toBe(otherwise);
  expect((await settingsFor({}, config))[setting]).toBe(inConfig);
  if (option === undefined) return;
  const given = { [option.name]: option.value };
  expect((await settingsFor(given, config))[setting]).toBe(option.value);
});

const CONFIG = 'quality_gate: {agent_review_command: of-config}\n';
const OPTION = { agentReviewCommand: 'of-option' };
const RUNNER = { externalRunner: 'claude' } as const;

test.each<[string, Overrides, string, unknown]>([
  ['nothing: the author reviews', {}, '', { kind: 'self' }],
  [
    'a command of the config',
    {},
    CONFIG,
    { kind: 'command', command: 'of-config', from: 'config' },
  ],
  ['no command beats the config', { agentReviewCommand: null }, CONFIG, { kind: 'self' }],
  ['no runner beats the config', { externalRunner: null }, CONFIG, { kind: 'self' }],
  [
    'a runner without a command beats the config',
    { ...RUNNER, agentReviewCommand: null },
    CONFIG,
    { kind: 'runner', runner: 'claude' },
  ],
  ['a runner beats the config', RUNNER, CONFIG, { kind: 'runner', runner: 'claude' }],
  [
    'a command beats a runner and the config',
    { ...RUNNER, ...OPTION },
    CONFIG,
    { kind: 'command', command: 'of-option', from: 'option' },
  ],
  [
    'off beats everything',
    { ...RUNNER, ...OPTION, enableQualityGate: false },
    CONFIG,
    { kind: 'off' },
  ],
])('the reviewer: %s', async (_what, given, config, reviewer) => {
  expect((await settingsFor(given, config)).reviewer).toEqual(reviewer);
});

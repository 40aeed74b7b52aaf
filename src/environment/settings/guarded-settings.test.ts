// For each protective setting: stricter at once, looser only when a person agrees.

import { expect, test } from 'vitest';
import { type Config, parseConfig } from './config.ts';
import { guardConfig, guardedValues } from './guarded-settings.ts';

const NEVER = null;
const gate = (value: string) => `quality_gate: {${value}}`;
const hosts = (value: string) => `team: {allowed_hosts: [${value}]}`;
const TOKENS = 'team: {tokens: true}';

/** `=`: what the file says applies; `!`: what was trusted still does. */
test.each<[trusted: string | null, now: string, holds: string, held?: string]>([
  [NEVER, hosts('a'), hosts(''), 'none → a'],
  [hosts('a'), hosts('a'), '='],
  [hosts('a, b'), hosts('b'), '='],
  [hosts('a'), hosts('b, a'), '!', 'a → b, a'],
  [NEVER, TOKENS, '='],
  [NEVER, 'team: {tokens: false}', '='],
  ['{}', TOKENS, '='],
  [TOKENS, '{}', '!', 'true → false'],
  [TOKENS, 'team: {tokens: false}', '!', 'true → false'],
  [NEVER, gate('overrides: never'), '='],
  ['{}', gate('overrides: person'), '='],
  [gate('overrides: never'), gate('overrides: person'), '!', 'never → person'],
  [gate('overrides: person'), '{}', '!', 'person → agent'],
  [NEVER, gate('default_max_attempts: 9'), gate('default_max_attempts: 3'), '3 → 9'],
  [NEVER, gate('default_max_attempts: 2'), '='],
  ['{}', gate('default_max_attempts: 2'), '='],
  ['{}', gate('default_max_attempts: 9'), gate('default_max_attempts: 3'), '3 → 9'],
  [NEVER, gate('agent_review_command: r'), '='],
  ['{}', gate('agent_review_command: r'), '='],
  [gate('agent_review_command: r'), '{}', '!', 'r → none'],
  [gate('agent_review_command: r'), gate('agent_review_command: "true"'), '!', 'r → true'],
])('trusted %s, the file says %s', async (trusted, now, holds, ...held) => {
  const agreed = trusted === null ? null : guardedValues(await parseConfig(trusted));
  const config = await parseConfig(now);
  const guarded = guardConfig(config, agreed);
  const written = holds === '!' ? (trusted ?? '') : holds;
  const expected: Config = holds === '=' ? config : await parseConfig(written);
  expect(guardedValues(guarded.config)).toEqual(guardedValues(expected));
  expect(guarded.held.map((each) => `${each.was} → ${each.now}`)).toEqual(held);
});

test('trust in another repository can tighten settings and never loosens any', async () => {
  const trusted = `team: {allowed_hosts: [a], tokens: true}\n${gate('overrides: never, agent_review_command: r')}`;
  const config = await parseConfig(hosts('a'));
  const agreed = guardedValues(await parseConfig(trusted));
  expect(guardedValues(guardConfig(config, agreed, true).config)).toMatchObject({
    'team.allowed_hosts': [],
    'team.tokens': true,
    'quality_gate.overrides': 'never',
    'quality_gate.agent_review_command': 'r',
  });
});

test('trusted values apply whatever else the record contains', async () => {
  const config = await parseConfig(`${hosts('a')}\n${gate('overrides: never')}`);
  for (const broken of [{}, { 'team.allowed_hosts': 'a' }, { 'quality_gate.overrides': 'off' }]) {
    const { config: holds } = guardConfig(config, broken);
    expect([holds.team.allowedHosts, holds.overrides]).toEqual([[], 'never']);
  }
});

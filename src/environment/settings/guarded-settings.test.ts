// For each protective setting: stricter at once, looser only when a person agrees.

import { expect, test } from 'vitest';
import { type Config, parseConfig } from './config.ts';
import { guardConfig, guardedValues } from './guarded-settings.ts';

const NEVER = null;

test.each<[key: string, trusted: string | null, now: string, holds: string, held: string | null]>([
  ['allowed_hosts', NEVER, 'team: {allowed_hosts: [a]}', 'team: {allowed_hosts: []}', 'none → a'],
  ['allowed_hosts', 'team: {allowed_hosts: [a]}', 'team: {allowed_hosts: [a]}', '=', null],
  ['allowed_hosts', 'team: {allowed_hosts: [a, b]}', 'team: {allowed_hosts: [b]}', '=', null],
  [
    'allowed_hosts',
    'team: {allowed_hosts: [a]}',
    'team: {allowed_hosts: [b, a]}',
    'team: {allowed_hosts: [a]}',
    'a → b, a',
  ],
  ['tokens', NEVER, 'team: {tokens: true}', '=', null],
  ['tokens', NEVER, 'team: {tokens: false}', '=', null],
  ['tokens', '{}', 'team: {tokens: true}', '=', null],
  ['tokens', 'team: {tokens: true}', '{}', 'team: {tokens: true}', 'true → false'],
  [
    'tokens',
    'team: {tokens: true}',
    'team: {tokens: false}',
    'team: {tokens: true}',
    'true → false',
  ],
  ['overrides', NEVER, 'quality_gate: {overrides: never}', '=', null],
  ['overrides', '{}', 'quality_gate: {overrides: person}', '=', null],
  [
    'overrides',
    'quality_gate: {overrides: never}',
    'quality_gate: {overrides: person}',
    'quality_gate: {overrides: never}',
    'never → person',
  ],
  [
    'overrides',
    'quality_gate: {overrides: person}',
    '{}',
    'quality_gate: {overrides: person}',
    'person → agent',
  ],
  [
    'max attempts',
    NEVER,
    'quality_gate: {default_max_attempts: 9}',
    'quality_gate: {default_max_attempts: 3}',
    '3 → 9',
  ],
  ['max attempts', NEVER, 'quality_gate: {default_max_attempts: 2}', '=', null],
  ['max attempts', '{}', 'quality_gate: {default_max_attempts: 2}', '=', null],
  [
    'max attempts',
    '{}',
    'quality_gate: {default_max_attempts: 9}',
    'quality_gate: {default_max_attempts: 3}',
    '3 → 9',
  ],
  ['reviewer', NEVER, 'quality_gate: {agent_review_command: r}', '=', null],
  ['reviewer', '{}', 'quality_gate: {agent_review_command: r}', '=', null],
  [
    'reviewer',
    'quality_gate: {agent_review_command: r}',
    '{}',
    'quality_gate: {agent_review_command: r}',
    'r → none',
  ],
  [
    'reviewer',
    'quality_gate: {agent_review_command: r}',
    'quality_gate: {agent_review_command: "true"}',
    'quality_gate: {agent_review_command: r}',
    'r → true',
  ],
])('%s: trusted %s, the file says %s', async (_key, trusted, now, holds, held) => {
  const agreed = trusted === null ? null : guardedValues(await parseConfig(trusted));
  const config = await parseConfig(now);
  const guarded = guardConfig(config, agreed);
  const expected: Config = holds === '=' ? config : await parseConfig(holds);
  expect(guardedValues(guarded.config)).toEqual(guardedValues(expected));
  expect(guarded.held.map((each) => `${each.was} → ${each.now}`)).toEqual(
    held === null ? [] : [held],
  );
});

test('trust in another repository can tighten settings and never loosens any', async () => {
  const trusted = guardedValues(
    await parseConfig(
      'team: {allowed_hosts: [a], tokens: true}\nquality_gate: {overrides: never, agent_review_command: r}',
    ),
  );
  const config = await parseConfig('team: {allowed_hosts: [a]}');
  const holds = guardedValues(guardConfig(config, trusted, true).config);
  expect(holds).toMatchObject({
    'team.allowed_hosts': [],
    'team.tokens': true,
    'quality_gate.overrides': 'never',
    'quality_gate.agent_review_command': 'r',
  });
});

test('trusted values apply whatever else the record contains', async () => {
  const config = await parseConfig('team: {allowed_hosts: [a]}\nquality_gate: {overrides: never}');
  for (const broken of [{}, { 'team.allowed_hosts': 'a' }, { 'quality_gate.overrides': 'off' }]) {
    const { config: holds } = guardConfig(config, broken);
    expect(holds.team.allowedHosts).toEqual([]);
    expect(holds.overrides).toBe('never');
  }
});

// The presets, with programs that stand in for the clients: each gets the run's server and its
// token where that client takes them, and what it prints is understood.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import {
  acceptedSteps,
  begin,
  type EndedRun,
  finish,
  newScene,
  type Scene,
  turnsOf,
} from './support.ts';

const STAND_IN = fileURLToPath(new URL('./stand-in-client.cjs', import.meta.url));

const CLIENTS = [
  { client: 'claude', cost: 0.5, resumed: ['--resume', 'c-1'] },
  { client: 'codex', cost: null, resumed: ['resume', 'c-1'] },
  { client: 'gemini', cost: null, resumed: ['--resume', 'c-1'] },
  { client: 'opencode', cost: 0.5, resumed: ['--session', 'c-1'] },
] as const;

function install({ home }: Scene, client: string): Readonly<Record<string, string>> {
  const bin = path.join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = path.join(bin, client);
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${STAND_IN}' ${client} "$@"\n`);
  chmodSync(program, 0o755);
  return { PATH: `${bin}${path.delimiter}${process.env.PATH}` };
}

const ARGUMENTS = ['demo/main', '--goal', 'Try it', '--json'];

async function runAs(scene: Scene, client: string): Promise<EndedRun> {
  const env = install(scene, client);
  const ran = await finish(begin(scene, [...ARGUMENTS, '--agent', client], { env }));
  expect(ran.code, ran.err).toBe(0);
  return ran;
}

test.for(CLIENTS)('$client is given the server of the run', async ({ client, cost }) => {
  verifies('RUN-3');
  const scene = newScene();
  const ran = await runAs(scene, client);
  expect(acceptedSteps(scene)).toEqual({ draft: 1, publish: 1 });
  const ended = ran.events.filter(({ event }) => event === 'turn_ended');
  const each = { cost_usd: cost, conversation: 'c-1' };
  expect(ended).toMatchObject([each, each]);
  const [first, second] = turnsOf(scene);
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  // Other users of the machine can see arguments.
  expect(JSON.stringify(first.args)).not.toContain(first.authorization);
  expect(second.authorization).not.toBe(first.authorization);
  expect(JSON.stringify(second.args)).not.toContain('c-1');
});

test.for(CLIENTS)('$client goes on with its conversation if told to', async (each) => {
  verifies('RUN-3');
  const scene = newScene(['draft', 'publish'], 'run:\n  context: continue\n');
  await runAs(scene, each.client);
  const [first, second] = turnsOf(scene);
  expect(first.args).not.toEqual(expect.arrayContaining([...each.resumed]));
  expect(second.args).toEqual(expect.arrayContaining([...each.resumed]));
});

test('gemini keeps the settings and the sign-in of its user, and leaves both as they were', async () => {
  verifies('RUN-3');
  const scene = newScene(['draft']);
  const settings =
    '{\n  // mine\n  "security": { "auth": { "selectedType": "oauth-personal" } }\n}\n';
  const own = path.join(scene.home, '.gemini');
  mkdirSync(own, { recursive: true });
  writeFileSync(path.join(own, 'settings.json'), settings);
  writeFileSync(path.join(own, 'oauth_creds.json'), 'of the user');
  await runAs(scene, 'gemini');
  const [{ own: seen }] = turnsOf(scene);
  expect(seen.settings.security).toEqual({ auth: { selectedType: 'oauth-personal' } });
  expect(seen.entries).toEqual(['oauth_creds.json', 'settings.json', 'tmp']);
  expect(readFileSync(path.join(own, 'settings.json'), 'utf8')).toBe(settings);
  expect(readFileSync(path.join(own, 'oauth_creds.json'), 'utf8')).toBe('renewed');
  expect(existsSync(path.join(own, 'tmp/chat.json'))).toBe(true);
});

test('the only client that is installed need not be named', async () => {
  const scene = newScene(['draft']);
  install(scene, 'claude');
  const env = { PATH: `${path.join(scene.home, 'bin')}:/usr/bin:/bin` };
  const ran = await finish(begin(scene, ARGUMENTS, { env }));
  expect(ran.code, ran.err).toBe(0);
  install(scene, 'codex');
  const two = await finish(begin(scene, ARGUMENTS, { env }));
  expect(two.code, two.out).toBe(2);
  for (const each of ['claude', 'codex']) expect(two.err).toContain(`--agent ${each}`);
});

// The presets, with programs that stand in for the clients: each gets the run's server and its
// token where that client takes them, and what it prints is understood.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { acceptedSteps, begin, finish, newScene, type Scene, turnsOf } from './support.ts';

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

test.for(CLIENTS)('$client is given the server of the run', async ({ client, cost }) => {
  verifies('RUN-3');
  const scene = newScene();
  const env = install(scene, client);
  const ran = await finish(begin(scene, [...ARGUMENTS, '--agent', client], { env }));
  expect(ran.code, ran.err).toBe(0);
  expect(acceptedSteps(scene)).toEqual({ draft: 1, publish: 1 });
  const ended = ran.events.filter(({ event }) => event === 'turn_ended');
  expect(ended).toMatchObject([
    { cost_usd: cost, conversation: 'c-1' },
    { cost_usd: cost, conversation: 'c-1' },
  ]);
  const [first, second] = turnsOf(scene);
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  // Other users of the machine can see arguments.
  expect(JSON.stringify(first.args)).not.toContain(first.authorization);
  expect(second.authorization).not.toBe(first.authorization);
  expect(JSON.stringify(second.args)).not.toContain('c-1');
});

test.for(CLIENTS)('$client goes on with its conversation if it is told to', async (each) => {
  const { client, resumed } = each;
  const scene = newScene(['draft', 'publish'], 'run:\n  context: continue\n');
  const env = install(scene, client);
  const ran = await finish(begin(scene, [...ARGUMENTS, '--agent', client], { env }));
  expect(ran.code, ran.err).toBe(0);
  const [first, second] = turnsOf(scene);
  expect(first.args).not.toEqual(expect.arrayContaining([...resumed]));
  expect(second.args).toEqual(expect.arrayContaining([...resumed]));
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
  const env = install(scene, 'gemini');
  const ran = await finish(begin(scene, [...ARGUMENTS, '--agent', 'gemini'], { env }));
  expect(ran.code, ran.err).toBe(0);
  const [{ own: seen }] = turnsOf(scene);
  expect(seen.settings.security).toEqual({ auth: { selectedType: 'oauth-personal' } });
  expect(seen.entries).toEqual(['oauth_creds.json', 'settings.json', 'tmp']);
  expect(readFileSync(path.join(own, 'settings.json'), 'utf8')).toBe(settings);
  expect(readFileSync(path.join(own, 'oauth_creds.json'), 'utf8')).toBe('renewed');
  expect(existsSync(path.join(own, 'tmp/chat.json'))).toBe(true);
});

test('the only client that is installed need not be named', async () => {
  const scene = newScene(['draft']);
  const { PATH } = install(scene, 'claude');
  const bin = path.join(scene.home, 'bin');
  const env = { PATH: `${bin}${path.delimiter}/usr/bin${path.delimiter}/bin` };
  expect(PATH).toContain(bin);
  const ran = await finish(begin(scene, ARGUMENTS, { env }));
  expect(ran.code, ran.err).toBe(0);
  install(scene, 'codex');
  const two = await finish(begin(scene, ARGUMENTS, { env }));
  expect(two.code).toBe(2);
  expect(two.err).toContain('say who works: --agent claude, --agent codex');
});

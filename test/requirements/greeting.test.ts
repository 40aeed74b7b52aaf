// The server greets before its engine is loaded, with answers recorded by the build. A
// client must not be able to tell: they equal what the SDK itself answers, always.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { newProject, type Project } from '../support/project.ts';
import { discover, INITIALIZED, initialize, openWire, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';

const GREETINGS = 'greetings.json';

/** A copy of the built files whose greetings are gone, or others. */
function buildWith(project: Project, greetings: string | null): string {
  const dist = path.dirname(BINARY);
  mkdirSync(project.path('dist'));
  for (const file of readdirSync(dist)) {
    copyFileSync(path.join(dist, file), project.path(`dist/${file}`));
  }
  if (greetings === null) rmSync(project.path(`dist/${GREETINGS}`));
  else project.write(`dist/${GREETINGS}`, greetings);
  return project.path('dist/main.cjs');
}

async function firstReply(root: string, binary: string, opening: unknown) {
  const wire = openWire(root, binary);
  wire.send(opening);
  const [reply] = await wire.next(1);
  wire.endInput();
  await wire.ended;
  expect(wire.lines(), 'one reply to one question').toHaveLength(1);
  return reply;
}

const VERSIONS = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < '2026');

const OPENINGS: Readonly<Record<string, { id: unknown }>> = {
  ...Object.fromEntries(VERSIONS.map((each) => [`initialize ${each}`, initialize(7, each)])),
  'initialize with a version nobody knows': initialize('a', '1999-12-31'),
  'server/discover 2026-07-28': discover('b'),
  'server/discover with a version nobody knows': discover('c', '2999-12-31'),
};

test.each(Object.entries(OPENINGS))('%s is answered as by the SDK', async (_name, opening) => {
  verifies('JOBS-REQ-001.1.10', 'JOBS-REQ-001.1.11');
  const project = newProject();
  const plain = buildWith(project, null);
  const [greeted, answered] = await Promise.all([
    firstReply(project.root, BINARY, opening),
    firstReply(project.root, plain, opening),
  ]);
  expect(answered).toMatchObject({ jsonrpc: '2.0', id: opening.id });
  expect(greeted).toEqual(answered);
});

test('there is a greeting for every version', () => {
  verifies('JOBS-REQ-001.1.10');
  const recorded = JSON.parse(readFileSync(path.join(path.dirname(BINARY), GREETINGS), 'utf8'));
  expect(VERSIONS).toContain('2024-11-05');
  expect(Object.keys(recorded.initialize).sort()).toEqual([...VERSIONS].sort());
  expect(Object.keys(recorded.discover)).toEqual(['2026-07-28']);
});

test('a greeting is only for the opening, and only when the opening is plain', async () => {
  verifies('JOBS-REQ-001.1.10');
  const project = newProject();
  const sign = { serverInfo: { name: 'recorded', version: '0' } };
  const recorded = { initialize: { '2025-11-25': sign }, discover: {} };
  const binary = buildWith(project, JSON.stringify(recorded));
  const nameAfter = async (opening: unknown) => {
    const reply = await firstReply(project.root, binary, opening);
    return reply?.result?.serverInfo.name ?? reply?.error.code;
  };
  expect(await nameAfter(initialize(1)), 'the recorded answer is what is sent').toBe('recorded');
  expect(await nameAfter(initialize(1, '2025-06-18'))).toBe('deepwork');
  const { params, ...rest } = initialize(1);
  const bad = { ...rest, params: { ...params, capabilities: 'none' } };
  expect(await nameAfter(bad), 'a wrong opening is for the SDK to judge').toBeLessThan(-32000);
});

test('damaged greetings do no harm', async () => {
  verifies('JOBS-REQ-001.1.10');
  const project = newProject();
  for (const damaged of ['', '{"initialize":']) {
    const binary = buildWith(project, damaged);
    const reply = await firstReply(project.root, binary, initialize(1));
    expect(reply).toMatchObject({ id: 1, result: { serverInfo: { name: 'deepwork' } } });
    rmSync(project.path('dist'), { recursive: true });
  }
});

test('the greeted connection goes on like any other', async () => {
  verifies('JOBS-REQ-001.1.10');
  const wire = openWire(newProject().root);
  wire.send(initialize('same'));
  expect(await wire.next(1)).toMatchObject([{ id: 'same' }]);
  wire.send(INITIALIZED, request('same', 'tools/list'), request(2, 'ping'));
  const replies = await wire.next(2);
  expect(replies.map(({ id }) => id).sort(), 'an id may be used again').toEqual([2, 'same']);
  expect(replies.find(({ id }) => id === 'same')?.result.tools).toContainEqual(
    expect.objectContaining({ name: 'get_workflows' }),
  );
});

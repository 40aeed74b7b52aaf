import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { Refused } from '../core/refusal.ts';
import { pathsOf } from './paths.ts';
import { parseConfig } from './settings/config.ts';
import { guardConfig, guardedValues } from './settings/guarded-settings.ts';
import { chooseStore, workspaceName } from './store-choice.ts';

const ENV = { DEEPWORK_DATABASE_URL: 'postgres://env.example/work' };

function place() {
  return { paths: pathsOf(tempFolder('.deepwork')), prepare: () => {} };
}

async function choose(text: string, env: NodeJS.ProcessEnv = {}, trusted: string | null = text) {
  const agreed = trusted === null ? null : guardedValues(await parseConfig(trusted));
  const { config } = guardConfig(await parseConfig(text), agreed);
  try {
    return chooseStore(config.store, env, place());
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.refusal.code;
  }
}

const STORE = 'store: postgres://user:secret@host/work\n';

test('without an address, the journal is kept in files', async () => {
  const files = { kind: 'files' };
  expect(await choose('', {}, null)).toEqual(files);
  expect(await choose('workspace: x\n', { DEEPWORK_DATABASE_URL: '' }, null)).toEqual(files);
});

test('an address in the config applies once a person has agreed to it, with any password', async () => {
  expect(await choose(`${STORE}workspace: x\n`)).toEqual({
    kind: 'postgres',
    url: 'postgres://user:secret@host/work',
    from: 'config',
    schema: 'deepwork',
    leaseSeconds: 30,
    workspace: 'x',
  });
  const other = STORE.replace('secret', 'other');
  expect(await choose(other, {}, STORE)).toMatchObject({ kind: 'postgres' });
});

test.each<[what: string, text: string, trusted: string | null]>([
  ['an address that no one has seen', STORE, null],
  ['another host', STORE.replace('host', 'evil.example'), STORE],
  ['less encryption', STORE.replace('work', 'work?sslmode=disable'), STORE],
  ['no address any more', '', STORE],
  ['another schema', `${STORE}store_schema: other\n`, STORE],
  ['another workspace', `${STORE}workspace: github.com/example/other\n`, STORE],
])('%s is refused, and files are not used instead', async (_what, text, trusted) => {
  expect(await choose(text, {}, trusted)).toBe('store_not_trusted');
});

test('a value that cannot be read is refused', async () => {
  expect(await choose('store: mysql://host/work\n')).toBe('config_invalid');
  expect(await choose(`${STORE}workspace: [x]\n`)).toBe('config_invalid');
  expect(await choose('', { DEEPWORK_DATABASE_URL: 'host/work' })).toBe('store_invalid');
});

test("the person's environment overrides the config, and needs no trust", async () => {
  for (const text of ['', STORE, 'store: 7\n']) {
    expect(await choose(text, ENV, null)).toMatchObject({
      kind: 'postgres',
      url: ENV.DEEPWORK_DATABASE_URL,
      from: 'environment',
    });
  }
  expect(await choose('workspace: github.com/example/other\n', ENV, null)).toBe(
    'store_not_trusted',
  );
});

test('without an origin a folder gets an id, which stays', () => {
  const here = place();
  const id = workspaceName(here);
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(workspaceName(here)).toBe(id);
  expect(workspaceName(place())).not.toBe(id);
  // Without `prepare`, none is created.
  expect(workspaceName({ paths: place().paths })).toBeNull();
  expect(workspaceName({ paths: here.paths })).toBe(id);
});

test('an id that came with a copy of a folder counts for nothing there', () => {
  const here = place();
  const id = workspaceName(here);
  const copy = place();
  const file = path.join(copy.paths.own, 'workspace.id');
  for (const brought of [readFileSync(path.join(here.paths.own, 'workspace.id')), `${id}\n`]) {
    writeFileSync(file, brought);
    expect(workspaceName({ paths: copy.paths })).toBeNull();
    const own = workspaceName(copy);
    expect(own).toMatch(/^[0-9a-f]{32}$/);
    expect(own).not.toBe(id);
    expect(workspaceName(copy)).toBe(own);
  }
  // What is too large to be read does not grow.
  writeFileSync(file, 'x'.repeat(70_000));
  expect(() => workspaceName(copy)).toThrow('larger than 64 KiB');
  expect(statSync(file).size).toBe(70_000);
  // A link leads to a file that is none of ours.
  const elsewhere = path.join(here.paths.root, 'elsewhere');
  writeFileSync(elsewhere, '');
  rmSync(file);
  symlinkSync(elsewhere, file);
  expect(() => workspaceName(copy)).toThrow('workspace.id');
  expect(readFileSync(elsewhere, 'utf8')).toBe('');
});

// What may import what. The core knows nothing of the rest, nothing imports upwards,
// and what is loaded at start-up stays light.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** Each folder, and the folders it may import from besides itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  async: [],
  files: [],
  journal: ['async', 'core', 'files'],
  definitions: ['async', 'core', 'files'],
  knowledge: ['async', 'core', 'definitions', 'files'],
  environment: ['async', 'core', 'definitions', 'files'],
  gate: ['async', 'core', 'definitions', 'environment', 'files'],
  sessions: ['async', 'core', 'environment', 'files', 'journal'],
  team: ['async', 'core', 'definitions', 'environment', 'files', 'journal'],
  engine: [
    ...['async', 'core', 'definitions', 'environment', 'files'],
    ...['gate', 'journal', 'knowledge', 'sessions', 'team'],
  ],
  operations: [
    'async',
    'core',
    'definitions',
    'engine',
    'environment',
    'files',
    'gate',
    'sessions',
  ],
  server: ['async', 'core', 'engine', 'environment', 'gate', 'operations', 'sessions', '.'],
  launch: ['environment', 'files'],
  bundles: ['cli', 'core', 'definitions', 'engine', 'gate', 'operations', 'server', 'team', '.'],
  cli: [
    ...['bundles', 'core', 'engine', 'environment', 'files', 'gate', 'launch'],
    ...['operations', 'server', 'sessions', 'team', '.'],
  ],
};

/** What `main.ts` reaches without loading the engine. */
const LIGHT = [
  'main.ts',
  'bundles/load-engine.ts',
  'cli/serve.ts',
  'cli/serve-http.ts',
  'cli/launch.ts',
  'server/stdio-connection.ts',
  'server/message.ts',
  'server/http/socket.ts',
  'launch/attach.ts',
  'launch/reach-server.ts',
  'launch/registry.ts',
  'environment/launch-proof.ts',
];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

function sources(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|conformance\.ts$/.test(file));
}

function imports(): Import[] {
  return sources().flatMap((from) => {
    const text = readFileSync(path.join(src, from), 'utf8');
    const found = text.matchAll(
      /^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|import\('([^']+)'\)/gms,
    );
    return [...found].map(([, type, fixed, dynamic]) => ({
      from,
      to: (fixed ?? dynamic) as string,
      typeOnly: type !== undefined,
    }));
  });
}

const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] as string) : '.');

function resolveImport({ from, to }: Import): string {
  return path.posix.normalize(path.posix.join(path.posix.dirname(from), to));
}

test('nothing imports upwards', () => {
  const wrong = imports()
    .filter(({ from, to }) => to.startsWith('.') && folderOf(from) !== '.')
    .filter(({ from, to, typeOnly }) => {
      const folder = folderOf(from);
      const target = folderOf(resolveImport({ from, to, typeOnly }));
      return target !== folder && !(ALLOWED[folder] ?? []).includes(target);
    })
    .map(({ from, to }) => `${from} imports ${to}`);
  expect(wrong).toEqual([]);
});

test('the core does no I/O', () => {
  const wrong = imports()
    .filter(({ from }) => from.startsWith('core/'))
    // The virtual machine is how a runaway regex is stopped; it touches nothing outside.
    .filter(({ to }) => to.startsWith('node:') && to !== 'node:vm')
    .map(({ from, to }) => `${from} imports ${to}`);
  expect(wrong).toEqual([]);
});

test('what starts a server loads no library', () => {
  const all = imports();
  const wrong = LIGHT.flatMap((file) =>
    all
      .filter(({ from, to, typeOnly }) => from === file && !typeOnly && !to.startsWith('.'))
      .filter(({ to }) => !to.startsWith('node:'))
      .map(({ to }) => `${file} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

/** Programs are started here only; each of these finds them outside the project. */
const STARTS_PROGRAMS = [
  'gate/command.ts',
  'launch/reach-server.ts',
  'launch/run-command.ts',
  'environment/git.ts',
  'environment/processes.ts',
];

test('programs are started in the few places that find them outside the project', () => {
  // However it is loaded, its name has to be written somewhere.
  const starting = sources().filter((file) =>
    /child_process|['":]cluster['"]|process\.binding/.test(
      readFileSync(path.join(src, file), 'utf8'),
    ),
  );
  expect(starting.sort()).toEqual([...STARTS_PROGRAMS].sort());
});

test('no file is too long to read at one sitting', () => {
  const long = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => readFileSync(path.join(src, file), 'utf8').split('\n').length > 400);
  expect(long).toEqual([]);
});

// Which folder may import which. The core imports nothing of the rest, nothing imports upwards,
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
  environment: ['core', 'definitions', 'files'],
  gate: ['async', 'core', 'definitions', 'environment', 'files'],
  sessions: ['async', 'core', 'environment', 'files', 'journal'],
  team: ['async', 'core', 'definitions', 'environment', 'files', 'journal'],
  board: [
    ...['async', 'core', 'definitions', 'environment', 'files', 'journal', 'sessions', 'team'],
  ],
  engine: [
    ...['async', 'core', 'definitions', 'environment', 'files'],
    ...['gate', 'journal', 'knowledge', 'sessions', 'team'],
  ],
  operations: ['async', 'core', 'definitions', 'engine', 'environment', 'gate', 'sessions'],
  server: ['async', 'core', 'engine', 'environment', 'gate', 'operations', 'sessions', '.'],
  page: ['async', 'board', 'core', 'engine', 'environment', 'files', 'journal'],
  hook: ['core', 'engine', 'environment', 'files'],
  launch: ['environment', 'files'],
  run: [
    ...['async', 'board', 'core', 'engine', 'environment', 'files', 'gate'],
    ...['hook', 'journal', 'operations', 'team'],
  ],
  init: ['core', 'environment', 'files'],
  doctor: [
    ...['async', 'core', 'definitions', 'engine', 'environment', 'files'],
    ...['gate', 'hook', 'init', 'journal', 'launch', 'team', '.'],
  ],
  simulate: [
    ...['async', 'core', 'definitions', 'engine', 'environment', 'files'],
    ...['operations', 'server'],
  ],
  bundles: [
    ...['board', 'definitions', 'doctor', 'engine', 'environment', 'gate'],
    ...['hook', 'init', 'operations', 'page', 'run', 'server', 'sessions', 'simulate', 'team'],
  ],
  cli: [
    ...['board', 'bundles', 'core', 'doctor', 'engine', 'environment', 'files', 'gate'],
    ...['hook', 'init'],
    ...['launch'],
    ...['operations', 'run', 'server', 'sessions', 'simulate', 'team', '.'],
  ],
};

/** What `main.ts` reaches without loading the engine. */
const LIGHT = [
  'main.ts',
  'cli/commands.ts',
  'bundles/load-bundle.ts',
  'cli/serve/serve.ts',
  'cli/serve/serve-http.ts',
  'cli/launch.ts',
  'cli/dashboard.ts',
  'cli/hook.ts',
  'server/stdio-connection.ts',
  'server/rpc-message.ts',
  'server/http/socket.ts',
  'launch/attach.ts',
  'launch/reach-server.ts',
  'launch/registry.ts',
  'environment/process/launch-proof.ts',
];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

function sources(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
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

test('no two files import each other, directly or through others, by types either', () => {
  const reached = new Map<string, readonly string[]>();
  for (const from of sources()) reached.set(from, []);
  for (const each of imports().filter(({ to }) => to.startsWith('.'))) {
    reached.set(each.from, [...(reached.get(each.from) ?? []), resolveImport(each)]);
  }
  // Takes away files that import nothing of what is left; what stays goes in circles.
  for (;;) {
    const ends = [...reached].filter(([, to]) => !to.some((file) => reached.has(file)));
    if (ends.length === 0) break;
    for (const [file] of ends) reached.delete(file);
  }
  expect([...reached.keys()]).toEqual([]);
});

test('what runs in a browser takes only types from the rest', () => {
  const wrong = imports()
    .filter(({ from, to }) => from.startsWith('page/front/') && to.startsWith('.'))
    .map((each) => ({ ...each, target: resolveImport(each) }))
    .filter(({ target }) => !target.startsWith('page/front/'))
    .filter(({ target, typeOnly }) => !typeOnly || folderOf(target) !== 'board')
    .map(({ from, to }) => `${from} imports ${to}`);
  expect(wrong).toEqual([]);
});

test('the core does no I/O', () => {
  const wrong = imports()
    .filter(({ from }) => from.startsWith('core/'))
    // The virtual machine stops a runaway regex; it touches nothing outside.
    .filter(({ to }) => to.startsWith('node:') && to !== 'node:vm')
    .map(({ from, to }) => `${from} imports ${to}`);
  expect(wrong).toEqual([]);
});

test('only operations judge arguments and describe tools', () => {
  const wrong = imports()
    .filter(({ to }) => to === 'zod')
    .filter(({ from }) => folderOf(from) !== 'operations')
    .map(({ from }) => from);
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

test('a command uses its Io and not the process', () => {
  const used = /\bprocess\.(?:std\w+|env|cwd|argv|exit\w*|on|once|off)\b/;
  const using = sources().filter(
    (file) => file.startsWith('cli/') && used.test(readFileSync(path.join(src, file), 'utf8')),
  );
  expect(using).toEqual(['cli/process-io.ts']);
});

/** Only these start programs; each finds them outside the project. */
const STARTS_PROGRAMS = [
  'gate/command.ts',
  'launch/open-browser.ts',
  'launch/reach-server.ts',
  'launch/run-command.ts',
  'launch/start-run.ts',
  'run/agent-process.ts',
  'environment/git/git.ts',
  'environment/process/processes.ts',
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

/** Only these read whole files themselves, each from a place that no repository can fill. */
const READS_FILES = [
  // The package's own files.
  'bundles/load-bundle.ts',
  'cli/init/init.ts',
  'init/templates.ts',
  // /proc and stdin.
  'environment/process/process-identity.ts',
  'environment/process/processes.ts',
  'files/watch-folders.ts',
  'hook/hook-input.ts',
  // Checked by themselves: a regular file of limited size.
  'environment/git/git-index.ts',
  'team/state-file.ts',
];

test('files are read by src/files, which neither blocks nor reads devices', () => {
  const reading = sources().filter((file) =>
    /\breadFile(?:Sync)?\b|\bcreateReadStream\b/.test(readFileSync(path.join(src, file), 'utf8')),
  );
  expect(reading.sort()).toEqual([...READS_FILES].sort());
});

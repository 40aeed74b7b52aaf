// The record of what init wrote comes with the repository, so it is not trusted: it can only name
// paths that init writes to.

import { expect, test } from 'vitest';
import { CLIENTS } from './clients.ts';
import { CONFIG_PATH } from './config-template.ts';
import { type InitRecord, readRecord, renderRecord } from './record.ts';

const RECORD: InitRecord = {
  folders: [
    '.deepwork',
    '.deepwork/jobs',
    '.deepwork/jobs/bug_fix',
    '.deepwork/jobs/bug_fix/steps',
  ],
  files: {
    '.deepwork/jobs/bug_fix/steps/fix.md': { kind: 'whole', sha256: 'a' },
    '.mcp.json': {
      kind: 'json',
      created: false,
      sha256: 'b',
      inserted: [[1, 2]],
      entries: [{ path: ['mcpServers', 'deepwork'], value: { command: 'x' } }],
      containers: [],
    },
    '.codex/config.toml': {
      kind: 'toml',
      created: true,
      sha256: 'c',
      inserted: [],
      table: { path: ['a'], value: { b: 'c' } },
    },
  },
};

test('a record is read as it was written', () => {
  expect(readRecord(renderRecord(RECORD))).toEqual(RECORD);
});

test('every file of every client may be in it', () => {
  const request = { words: ['deepwork'] as const, hooks: true, opencodePlugin: '' };
  const paths = [false, true].flatMap((isThere) =>
    CLIENTS.flatMap(({ files }, index) =>
      files.call(CLIENTS[index] as never, {
        ...request,
        exists: (path) => isThere === path.endsWith('c'),
      }),
    ).map(({ path }) => path),
  );
  expect(paths).toContain('opencode.jsonc');
  const whole = { kind: 'whole', sha256: 'a' } as const;
  const files = Object.fromEntries([...paths, CONFIG_PATH].map((path) => [path, whole]));
  expect(readRecord(renderRecord({ folders: [], files }))).not.toBeNull();
});

test.each([
  ['a path that leads out', { ...RECORD, folders: ['../other'] }],
  ['an absolute path', { ...RECORD, files: { '/etc/passwd': { kind: 'whole', sha256: 'a' } } }],
  [
    'a file that init never writes',
    { ...RECORD, files: { 'src/main.ts': { kind: 'whole', sha256: 'a' } } },
  ],
  ['the journal', { ...RECORD, folders: ['.deepwork/journal'] }],
  ['a way up', { ...RECORD, folders: ['.deepwork/jobs/..'] }],
  [
    'an entry without a path',
    {
      ...RECORD,
      files: { '.mcp.json': { ...RECORD.files['.mcp.json'], entries: [{ path: [] }] } },
    },
  ],
  [
    'ranges that are none',
    { ...RECORD, files: { '.mcp.json': { ...RECORD.files['.mcp.json'], inserted: ['x'] } } },
  ],
])('one with %s is none', (_what, record) => {
  expect(readRecord(renderRecord(record as InitRecord))).toBeNull();
});

test.each(['', '{', '[]', 'null', '{"version": 2, "folders": [], "files": {}}'])(
  '%s is none',
  (text) => {
    expect(readRecord(text)).toBeNull();
  },
);

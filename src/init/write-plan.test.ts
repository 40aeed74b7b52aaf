// A plan is written completely or not at all, and never replaces something that was written meanwhile.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { Refused } from '../core/refusal.ts';
import { type Plan, planInit } from './plan.ts';
import { openProjectFiles, type ProjectFiles } from './project-files.ts';
import { NO_RECORD, RECORD_PATH } from './record.ts';
import type { Wanted } from './wanted.ts';
import { writePlan } from './write-plan.ts';

const WANTED: readonly Wanted[] = [
  { kind: 'whole', path: '.deepwork/config.yml', group: 'a', text: '# x\n' },
  { kind: 'json', path: '.mcp.json', group: 'b', entries: [{ path: ['a'], value: 1 }] },
  { kind: 'json', path: '.cursor/mcp.json', group: 'c', entries: [{ path: ['a'], value: 1 }] },
];

let root = '';
let files: ProjectFiles;

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'deepwork-write-')));
  const made = root;
  onTestFinished(() => rmSync(made, { recursive: true }));
  files = openProjectFiles(root);
});

const at = (file: string) => path.join(root, file);
const everything = () => readdirSync(root, { recursive: true }).sort();

function refusalOf(plan: Plan, project = files): string {
  try {
    writePlan(project, plan);
  } catch (error) {
    if (error instanceof Refused) return `${error.refusal.code}: ${error.message}`;
    throw error;
  }
  return 'written';
}

test('an existing file keeps its mode, and no temporary file stays', () => {
  writeFileSync(at('.mcp.json'), '{}', { mode: 0o640 });
  writePlan(files, planInit(files, WANTED, NO_RECORD));
  expect(statSync(at('.mcp.json')).mode & 0o777).toBe(0o640);
  expect(everything()).toEqual([
    ...['.cursor', '.cursor/mcp.json', '.deepwork', '.deepwork/config.yml', RECORD_PATH],
    '.mcp.json',
  ]);
});

test('a file that changed after it was shown stops everything', () => {
  writeFileSync(at('.mcp.json'), '{}');
  const plan = planInit(files, WANTED, NO_RECORD);
  writeFileSync(at('.mcp.json'), '{ }');
  expect(refusalOf(plan)).toBe(
    'changed_meanwhile: .mcp.json has changed meanwhile; nothing was written',
  );
  expect(everything()).toEqual(['.mcp.json']);
});

test('a folder that cannot be created stops everything, and those created before are removed', () => {
  const plan = planInit(files, WANTED, NO_RECORD);
  writeFileSync(at('.cursor'), 'a file');
  expect(refusalOf(plan)).toMatch(/^changed_meanwhile/);
  const late = { ...files, read: () => ({ kind: 'absent' as const }) };
  expect(refusalOf(plan, late)).toMatch(/^cannot_write: nothing was written: /);
  expect(everything()).toEqual(['.cursor']);
});

test('what was put in place before something went wrong is named, and can be undone', () => {
  const plan = planInit(files, WANTED, NO_RECORD);
  let reads = 0;
  // Another program writes .mcp.json after the check and before the rename.
  const watched: ProjectFiles = {
    ...files,
    read(file) {
      reads += 1;
      if (reads === plan.changes.length + 2) {
        mkdirSync(at('.cursor'), { recursive: true });
        writeFileSync(at('.mcp.json'), 'theirs');
      }
      return files.read(file);
    },
  };
  expect(refusalOf(plan, watched)).toBe(
    `partly_written: not everything could be written (.mcp.json has changed meanwhile); done: ${RECORD_PATH}, .deepwork/config.yml`,
  );
  expect(readFileSync(at('.mcp.json'), 'utf8')).toBe('theirs');
  expect(existsSync(at(RECORD_PATH))).toBe(true);
  expect(everything().filter((file) => String(file).endsWith('.tmp'))).toEqual([]);
});

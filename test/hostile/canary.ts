// A folder outside every project, with something in each place that deepwork might be led to: its
// content must never be shown, and nothing in it may ever change.

import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { workflow } from '../guides/guide-project.ts';
import { makeTempFolder } from '../support/make-temp-folder.ts';

export interface Canary {
  readonly folder: string;
  /** Must not be shown anywhere. */
  readonly secret: string;
  path(file: string): string;
  /** Every entry with its kind, mode, times and content. */
  snapshot(): Record<string, string>;
  remove(): void;
}

const HOUR_MS = 3_600_000;

/** A whole `.deepwork`, `.sgai` and more, as in another project of the same user. */
export function newCanary(): Canary {
  const folder = makeTempFolder('canary');
  const secret = `token-${path.basename(folder)}`;
  for (const [file, text] of Object.entries(outsideFiles(secret))) {
    const absolute = path.join(folder, file);
    mkdirSync(path.dirname(absolute), { recursive: true });
    writeFileSync(absolute, text);
    const before = (Date.now() - HOUR_MS) / 1000;
    utimesSync(absolute, before, before);
  }
  return {
    folder,
    secret,
    path: (file) => path.join(folder, file),
    snapshot: () => snapshotOf(folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function outsideFiles(secret: string): Record<string, string> {
  const step = { id: 'a', name: 'A', description: secret, instructions_file: 'steps/a.md' };
  const job = {
    name: 'elsewhere',
    version: '1.0.0',
    summary: secret,
    common_job_info_provided_to_all_steps_at_runtime: secret,
    workflows: [{ name: 'main', summary: secret, steps: ['a'] }],
    steps: [{ ...step, outputs: {}, reviews: [] }],
  };
  const guide = workflow({ id: 'elsewhere', name: secret, description: secret });
  const state = {
    status: 'working',
    task: secret,
    messages: [{ id: 1, fromAgent: 'writer', toAgent: 'coordinator', body: secret, read: false }],
  };
  const page = `---\nname: elsewhere\ndescription: ${secret}\n---\n${secret}\n`;
  const own = {
    'tmp/old.tmp': secret,
    'tmp/.0123456789ab-1.tmp': secret,
    'tmp/ended.log': secret,
    'journal/notes.txt': secret,
    'jobs/elsewhere/job.yml': stringify(job),
    'jobs/elsewhere/steps/a.md': secret,
    'workflows/elsewhere.json': JSON.stringify(guide),
    'skills/elsewhere/SKILL.md': page,
    'snippets/go/elsewhere.go': page,
    'foreign/state-old.json': secret,
    'config.yml': `team:\n  agents: ["${secret}"]\n`,
    'state.json': JSON.stringify(state),
    '.0123456789ab-2.tmp': secret,
    'elsewhere.json': JSON.stringify(guide),
    'go/elsewhere.go': page,
    'steps/a.md': secret,
    'SKILL.md': page,
    'job.yml': stringify(job),
    'file.txt': `${secret}\n`,
    'goal.md': `---\nmodels:\n  "${secret}": fast\n---\n`,
  };
  // Both as a folder that contains roots and as each root itself.
  return Object.fromEntries(
    Object.entries(own).flatMap(([file, text]) => [
      [file, text],
      [`team/${file}`, text],
    ]),
  );
}

function snapshotOf(folder: string): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].sort()) {
    const file = path.join(folder, name);
    const { mode, mtimeMs, ctimeMs, size, ...stats } = lstatSync(file);
    const content = (mode & 0o170000) === 0o100000 ? readFileSync(file, 'utf8') : '';
    all[name] = [mode.toString(8), mtimeMs, ctimeMs, size, stats.ino, content].join(' ');
  }
  return all;
}

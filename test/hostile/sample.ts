// A project in which every place of the list is used.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { workflow } from '../guides/guide-project.ts';
import { type Project, projectAt, REVIEW, writeJob } from '../support/project.ts';

export interface Sample extends Project {
  remove(): void;
}

export function newSample(): Sample {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'deepwork-hostile-')));
  const project = projectAt(root);
  const page = (name: string) =>
    `---\nname: ${name}\ndescription: The ${name} page\n---\n${name}\n`;
  const files = {
    '.deepwork/config.yml': 'git:\n  branch: off\n',
    '.deepwork/workflows/own.json': JSON.stringify(workflow({ id: 'own' })),
    '.deepwork/skills/own/SKILL.md': page('own'),
    '.deepwork/snippets/go/own.go': page('own'),
    'workflows/other.json': JSON.stringify(workflow({ id: 'other' })),
    '.sgai/skills/shared/SKILL.md': page('shared'),
    '.sgai/snippets/go/shared.go': page('shared'),
    'GOAL.md': '---\nflow: "@team.dot"\n---\nThe goal.\n',
    'team.dot': 'digraph { coordinator -> writer }',
    'report.md': '# Report\n',
  };
  for (const [file, text] of Object.entries(files)) project.write(file, text);
  const a = { outputs: { report: 'file' }, reviews: [REVIEW] };
  writeJob(project, 'demo', { a }, { main: ['a'] });
  return { ...project, remove: () => rmSync(root, { recursive: true, force: true }) };
}

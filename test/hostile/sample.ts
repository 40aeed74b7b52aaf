// A project that uses every place on the list.

import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { workflow } from '../guides/guide-project.ts';
import { makeTempFolder } from '../support/make-temp-folder.ts';
import { type Project, projectAt, REVIEW, writeJob } from '../support/project.ts';

export interface Sample extends Project {
  remove(): void;
}

export function newSample(): Sample {
  const root = makeTempFolder('hostile');
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
    // As in a clone: whatever is read of it must be on the list of places, too.
    '.git/HEAD': 'ref: refs/heads/trunk\n',
    '.git/config': '[remote "origin"]\n\turl = https://example.org/x.git\n',
  };
  for (const [file, text] of Object.entries(files)) project.write(file, text);
  project.write('.git/index', emptyIndex());
  const a = { outputs: { report: 'file' }, reviews: [REVIEW] };
  writeJob(project, 'demo', { a }, { main: ['a'] });
  return {
    ...project,
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The index of a repository that tracks nothing. */
function emptyIndex(): Buffer {
  const header = Buffer.concat([Buffer.from('DIRC'), Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])]);
  return Buffer.concat([header, createHash('sha1').update(header).digest()]);
}

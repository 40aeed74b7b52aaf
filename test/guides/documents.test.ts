// What the documents show works as they show it: the example guide loads, and the commands
// of the README answer as printed there.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newProject } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { verifies } from '../verifies.ts';
import { FOLDER } from './guide-project.ts';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

function exampleIn(document: string): string {
  const blocks = [...document.matchAll(/```json\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
  const example = blocks.find((block) => block.includes('"steps"'));
  if (example === undefined) throw new Error('there is no example');
  return example;
}

test.each(['README.md', 'docs/guides.md'])('the example in %s is sound', async (file) => {
  verifies('GUIDE-8');
  const project = newProject();
  project.write(`${FOLDER}/fix-a-bug.json`, exampleIn(read(file)));
  const { stdout } = await deepwork(['lint', FOLDER], { cwd: project.root });
  expect(stdout).toBe('0 jobs and 1 guide checked: 0 problems, 0 warnings\n');
});

test('the commands in README.md answer as shown', async () => {
  verifies('GUIDE-1');
  const readme = read('README.md');
  const project = newProject();
  project.write(`${FOLDER}/fix-a-bug.json`, exampleIn(readme));
  const shown = [...readme.matchAll(/^\$ deepwork (call workflow_.*)\n(.*)$/gm)];
  expect(shown).toHaveLength(3);
  for (const [, command = '', answer = ''] of shown) {
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, bare]) => quoted ?? bare,
    );
    const { stdout } = await deepwork(words as string[], { cwd: project.root });
    // What is left out of the text is marked by an ellipsis.
    const pattern = answer.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '.*');
    expect(stdout).toMatch(new RegExp(`^${pattern}\n$`));
  }
});

// Lint tests values against the patterns of variables, and does not take long for any of them.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lintPaths } from '../../src/definitions/lint.ts';
import { jobYml, writeJob } from '../support/job-files.ts';
import { expectPiecesAtMost } from '../support/processor-time.ts';
import { tempFolder } from '../support/temp-folder.ts';

async function lint(yml: string): Promise<readonly string[]> {
  const dir = writeJob(tempFolder(), 'demo', yml);
  const { files } = await lintPaths([join(dir, 'job.yml')], async () => []);
  return files.flatMap(({ problems }) => problems.kept.map(({ message }) => message));
}

const SLOW = "description: d, pattern: '^(x+x+)+y1'";
const slowText = (at: number) => `${'x'.repeat(36)}${at}`;

test('the values that conditions compare are tested within one budget', async () => {
  const values = Array.from({ length: 100 }, (_, at) => slowText(at));
  // Within the budget of two seconds it takes at most half of that, without it several times as much.
  await expectPiecesAtMost(1200, async () => {
    await lint(
      jobYml({
        b: '    reviews: []\n    when: {var: kind}',
        workflows: `  - name: main\n    summary: All\n    steps: [a, b]\n    inputs: {kind: {${SLOW}, enum: [${values}]}}\n`,
      }),
    );
  });
});

test('the values that runs give are tested within one budget', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `v${at}`);
  const given = names.map((name, at) => `${name}: {value: ${slowText(at)}}`);
  const declared = names.map((name) => `${name}: {${SLOW}}`);
  const workflows = `  - {name: main, summary: All, steps: [a, {run: {name: r, job: demo, workflow: other, inputs: {${given}}}}]}
  - {name: other, summary: Other, steps: [b], inputs: {${declared}}}
`;
  const found = await lint(jobYml({ workflows }));
  expect(found).toHaveLength(30);
  expect(found[29]).toContain('not tested: the patterns of all values together');
});

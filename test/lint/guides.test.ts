// What lint proves of guides, at its place in the file.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const GUIDE = `{
  "id": "sample", "name": "Sample", "description": "A sample", "version": "1.0.0",
  "steps": [
    { "id": "ask", "title": "A", "prompt": "Do a" },
    { "id": "big", "title": "B", "prompt": "Do b",
      "runCondition": { "var": "n", "gt": 5, "lt": 3 } },
    { "id": "cut", "title": "C", "prompt": "Do c", "runCondition": { "var": "n", "gt": 5 } }
  ]
}
`;

test('a condition of a guide that no context can meet is a problem with a proof', async () => {
  verifies('LANG-8');
  const file = '.deepwork/workflows/sample.json';
  const project = newProject({ [file]: GUIDE });
  const lint = (...args: string[]) => command(['lint', ...args], { cwd: project.root });
  const { code, stdout } = await lint('--format', 'json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout).findings).toEqual([
    {
      file,
      line: 6,
      column: 7,
      severity: 'problem',
      code: 'never_holds',
      message: "The condition of step 'big' never holds: no call reaches it",
      proof: { says: 'no context has n > 5 and n < 3', path: [], words: '' },
    },
  ]);
  // The file alone, for people.
  expect((await lint(file)).stdout).toContain('    proof: no context has n > 5 and n < 3\n');
  project.write(file, GUIDE.replace('"lt": 3', '"lt": 7'));
  expect((await lint(file)).code).toBe(0);
});

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Startable } from '../../engine/prompts.ts';
import { skillOf } from './skill-text.ts';

function workflow(name: string, description = 'Writes a report'): Startable {
  const [job_name = '', workflow_name = job_name] = name.split('/');
  return { name, description, arguments: [], start: { job_name, workflow_name } };
}

/** The members between the lines of dashes, as a client reads them. */
function frontmatter(text: string): { name: string; description: string } {
  const [, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  return parse(head);
}

test('a skill is named like its workflow, in lower-case letters, digits and hyphens', () => {
  expect(skillOf(workflow('report/main')).name).toBe('report-main');
  expect(skillOf(workflow('Bug_Fix/from--report_')).name).toBe('bug-fix-from-report');
});

test('a name that is too long is cut, and two such names stay different', () => {
  const long = 'a'.repeat(70);
  const [one, two] = [skillOf(workflow(`${long}/x`)), skillOf(workflow(`${long}/y`))];
  for (const { name } of [one, two]) expect(name).toMatch(/^a{55}-[0-9a-f]{8}$/);
  expect(one.name).not.toBe(two.name);
});

test('names that differ only in their signs become different skills, the first one plainly named', () => {
  const all = ['wr.diagnose', 'wr-diagnose', 'wr/diagnose'];
  const names = all.map((each) => skillOf(workflow(each), all).name);
  expect(names[0]).toBe('wr-diagnose');
  expect(names[1]).toMatch(/^wr-diagnose-[0-9a-f]{8}$/);
  expect(new Set(names).size).toBe(3);
});

test('a description of any length and with any characters stays valid front matter', () => {
  const nasty = `Says "yes": # no\n--- and 'so' on 😀 `.repeat(100);
  const { name, description } = frontmatter(skillOf(workflow('report/main', nasty)).text);
  expect(name).toBe('report-main');
  expect([...description]).toHaveLength(1024);
  expect(description).toMatch(/^Says "yes": # no --- and 'so' on 😀 Says/);
});

test('a skill names the inputs of its workflow, for the agent to fill in', () => {
  const rest = { enum: null, pattern: null, default: null };
  const { text } = skillOf({
    ...workflow('report/main'),
    inputs: [
      { name: 'issue', description: 'The address', type: 'string', required: true, ...rest },
      {
        name: 'severity',
        description: 'How bad it is',
        type: 'string',
        required: false,
        ...rest,
        enum: ['low', 'high'],
      },
    ],
  });
  expect(text).toContain('ask the user for a required input that you do not know');
  expect(text).toContain(
    '"inputs":{"issue":"<The address. string, required>","severity":"<How bad it is. low or high, optional>"}',
  );
});

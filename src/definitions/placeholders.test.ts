// Which places of a text are named because nothing fills them. Their words are in
// test/words/problems.test.ts.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectPiecesAtMost } from '../../test/support/processor-time.ts';
import { verifies } from '../../test/verifies.ts';
import { limitedHints } from '../core/nearest.ts';
import { fillTemplate } from '../core/template.ts';
import { oddPlaceholders, type TextUse } from './placeholders.ts';

const PLAIN: TextUse = {
  workflow: 'main',
  step: 'fix',
  inputs: ['issue', 'severity'],
  items: null,
};
const EACH: TextUse = { ...PLAIN, items: { forEach: 'each', arePaths: false } };

const found = (text: string, ...uses: TextUse[]) => oddPlaceholders(text, uses, limitedHints());

test('a place is named each time that it is written, where it stands', () => {
  verifies('LANG-2');
  const places = found('a {{ itme }}\n{{ inputs.issue }} {{ itme }}', EACH);
  expect(places.map(({ offset }) => offset)).toEqual([2, 32]);
});

test('a place is named if one of several workflows does not fill it', () => {
  verifies('LANG-2');
  const other = { ...EACH, workflow: 'other', inputs: ['issue'] };
  const [severity, ...more] = found('{{ inputs.severity }} {{ inputs.issue }}', EACH, other);
  expect([severity?.message, more]).toEqual([expect.stringContaining("'other'"), []]);
  expect(found('{{ inputs.x }}', PLAIN, other)[0]?.message).toContain('main, other');
  expect(found('{{ item }}', other, PLAIN)[0]?.message).toContain("'main'");
  expect(found('{{ inputs.x }} {{ item }}'), 'of a text that none uses').toEqual([]);
  expect(found('{{ itme }}'), 'only the spelling is looked at').toHaveLength(1);
});

describe('no place of ours', () => {
  test.each([
    '{{ name }} {{ time }} {{ stem }} {{ id }} {{ x.y }} {{}} {{ }} {{ 1 }}',
    '{{ input }} {{ iterator.x }} {{ index }} {{ image.name }} {{ outputs.x }}',
    '{{#each inputs}} {{/each}} {{> item}} {{- item -}} {{! item }}',
    "{{ item | upper }} {{ inputs.get('issue') }} {{ item['a'] }} {{ inputs.a + 1 }} {{ item() }}",
    '$' + '{{ inputs.isue }} $' + '{{ item }}',
    '{ { inputs.isue } } {{ inputs.isue } {inputs.isue}',
  ])('%s', (text) => {
    verifies('LANG-2');
    expect([...found(text, PLAIN), ...found(text, EACH)]).toEqual([]);
  });

  test('what is filled is never one', () => {
    verifies('LANG-2');
    const blank = fc.constantFrom('', ' ', '\t', '\n');
    const names = ['inputs.issue', 'inputs.severity', 'item', 'item.name', 'item.a.b'];
    fc.assert(
      fc.property(blank, fc.constantFrom(...names), blank, (before, what, after) => {
        const text = `{{${before}${what}${after}}}`;
        const inputs = { issue: 'I', severity: 'S' };
        const item = { name: 'n', 'a.b': 'c' };
        expect(fillTemplate(text, { inputs, item })).not.toBe(text);
        expect(found(text, EACH)).toEqual([]);
      }),
    );
  });
});

test('a long text is looked at once, and thousands of misspelt inputs get only a few hints', async () => {
  const names = (word: string) => Array.from({ length: 700 }, (_, index) => `${word}_${index}`);
  const inputs = names('name_of_the_quite_long_variable_with_a_number');
  const misspelt = names('nome_of_the_quite_lung_veriable_with_a_namber');
  const text = misspelt.map((name) => `{{ inputs.${name} }}`).join(' ');
  await expectPiecesAtMost(150, () => {
    const places = found(text, { ...PLAIN, inputs });
    expect(places.length).toBeGreaterThan(50);
    expect(places[0]?.message).toContain(inputs[0]);
  });
  const long = '{{ item '.repeat(50_000) + '{'.repeat(50_000) + ' '.repeat(50_000);
  await expectPiecesAtMost(100, () => expect(found(long, PLAIN)).toEqual([]));
});

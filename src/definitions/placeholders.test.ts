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

const said = (text: string, ...uses: TextUse[]) =>
  oddPlaceholders(text, uses, limitedHints()).map(({ message }) => message);

describe('a place that nothing fills', () => {
  test.each([
    [
      '{{ inputs.isue }}',
      PLAIN,
      "'{{ inputs.isue }}' stays as written: workflow 'main' declares no input 'isue'; did you mean '{{ inputs.issue }}'?",
    ],
    [
      '{{inputs.colour}}',
      PLAIN,
      "'{{inputs.colour}}' stays as written: workflow 'main' declares no input 'colour'; declared: issue, severity",
    ],
    [
      '{{ inputs.x }}',
      { ...PLAIN, inputs: [] },
      "'{{ inputs.x }}' stays as written: workflow 'main' declares no inputs",
    ],
    [
      '{{ inputs }}',
      PLAIN,
      "'{{ inputs }}' stays as written: it names no input; declared: issue, severity",
    ],
    [
      '{{ item }}',
      PLAIN,
      "'{{ item }}' stays as written: step 'fix' of workflow 'main' is in no for_each",
    ],
    [
      '{{ item.name }}',
      PLAIN,
      "'{{ item.name }}' stays as written: step 'fix' of workflow 'main' is in no for_each",
    ],
    [
      '{{ item.name }}',
      { ...EACH, items: { forEach: 'each', arePaths: true } },
      "'{{ item.name }}' stays as written: the items of for_each 'each' are paths and have no keys; did you mean '{{ item }}'?",
    ],
    ['{{ itme }}', EACH, "'{{ itme }}' stays as written; did you mean '{{ item }}'?"],
    [
      '{{ tiem.name }}',
      EACH,
      "'{{ tiem.name }}' stays as written; did you mean '{{ item.name }}'?",
    ],
    ['{{ Item }}', EACH, "'{{ Item }}' stays as written; did you mean '{{ item }}'?"],
    ['{{ items }}', EACH, "'{{ items }}' stays as written; did you mean '{{ item }}'?"],
    [
      '{{ input.issue }}',
      PLAIN,
      "'{{ input.issue }}' stays as written; did you mean '{{ inputs.issue }}'?",
    ],
    [
      '{{ inptus.isue }}',
      PLAIN,
      "'{{ inptus.isue }}' stays as written; did you mean '{{ inputs.issue }}'?",
    ],
    [
      '{{ inputs . issue }}',
      PLAIN,
      "'{{ inputs . issue }}' stays as written; did you mean '{{ inputs.issue }}'?",
    ],
  ])('%s', (text, use, message) => {
    verifies('LANG-2');
    expect(said(text, use)).toEqual([message]);
  });

  test('is named once for each time that it is written, where it stands', () => {
    verifies('LANG-2');
    const found = oddPlaceholders(
      'a {{ itme }}\n{{ inputs.issue }} {{ itme }}',
      [EACH],
      limitedHints(),
    );
    expect(found.map(({ offset }) => offset)).toEqual([2, 32]);
  });

  test('is one where one of several workflows has no such input, or does not do it for each item', () => {
    verifies('LANG-2');
    const other = { ...EACH, workflow: 'other', inputs: ['issue'] };
    expect(said('{{ inputs.severity }} {{ inputs.issue }}', EACH, other)).toEqual([
      "'{{ inputs.severity }}' stays as written: workflow 'other' declares no input 'severity'; declared: issue",
    ]);
    expect(said('{{ inputs.x }}', PLAIN, other)[0]).toContain('workflows main, other declare no');
    expect(said('{{ item }}', other, PLAIN)[0]).toContain("step 'fix' of workflow 'main'");
  });
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
    expect(said(text, PLAIN)).toEqual([]);
    expect(said(text, EACH)).toEqual([]);
  });

  test('a text that no workflow uses is only looked at for spelling', () => {
    verifies('LANG-2');
    expect(said('{{ inputs.x }} {{ item }}')).toEqual([]);
    expect(said('{{ itme }}')).toHaveLength(1);
  });

  test('what is filled is never one', () => {
    verifies('LANG-2');
    const blank = fc.constantFrom('', ' ', '\t', '\n');
    const inside = fc.constantFrom(
      'inputs.issue',
      'inputs.severity',
      'item',
      'item.name',
      'item.a.b',
    );
    fc.assert(
      fc.property(blank, inside, blank, (before, what, after) => {
        const text = `{{${before}${what}${after}}}`;
        const inputs = { issue: 'I', severity: 'S' };
        const item = { name: 'n', 'a.b': 'c' };
        expect(fillTemplate(text, { inputs, item })).not.toBe(text);
        expect(said(text, EACH)).toEqual([]);
      }),
    );
  });
});

test('thousands of misspelt inputs get only a few hints', async () => {
  const names = (word: string) => Array.from({ length: 700 }, (_, index) => `${word}_${index}`);
  const inputs = names('name_of_the_quite_long_variable_with_a_number');
  const misspelt = names('nome_of_the_quite_lung_veriable_with_a_namber');
  const text = misspelt.map((name) => `{{ inputs.${name} }}`).join(' ');
  await expectPiecesAtMost(150, () => {
    const found = said(text, { ...PLAIN, inputs });
    expect(found.length).toBeGreaterThan(50);
    expect(found[0]).toContain(`did you mean '{{ inputs.${inputs[0]} }}'?`);
  });
});

test('a long text is looked at once', async () => {
  const text = '{{ item '.repeat(50_000) + '{'.repeat(50_000) + ' '.repeat(50_000);
  await expectPiecesAtMost(100, () => expect(said(text, PLAIN)).toEqual([]));
});

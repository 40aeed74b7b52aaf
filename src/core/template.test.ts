import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectPiecesAtMost } from '../../test/support/processor-time.ts';
import { fillTemplate } from './template.ts';

const inputs = { x: 'X', n: 3, yes: false, 'doc.md': 'docs/a.md', paths: ['a', 'b'] };

test.each([
  ['{{ inputs.x }} and {{inputs.x}} and {{\tinputs.x\n}}', 'X and X and X'],
  ['{{ inputs.n }} {{ inputs.yes }} {{ inputs.doc.md }}', '3 false docs/a.md'],
  ['{{ inputs.paths }}', 'a, b'],
  ['{{{ inputs.x }}}', '{X}'],
  ['{{ {{ inputs.x }} }}', '{{ X }}'],
  ['{{ inputs.ghost }} {{ x }} {{}} {{ inputs }} {{ Inputs.x }}', null],
  ['{{ inputs.x', null],
  ['{ { inputs.x } }', null],
  ['{{ inputs.toString }} {{ inputs.__proto__ }}', null],
  ['{{ item }} {{ item.key }}', null],
])('%j', (text, filled) => {
  expect(fillTemplate(text, { inputs })).toBe(filled ?? text);
});

test.each([
  ['{{ item }}', 'src/a.ts', 'src/a.ts'],
  ['{{ item }}', 7, '7'],
  ['{{ item }}', { name: 'a' }, '{"name":"a"}'],
  [
    '{{ item.name }}-{{item.size}}-{{ item.tags }}',
    { name: 'a', size: 2, tags: ['t'] },
    'a-2-["t"]',
  ],
  ['{{ item.ghost }} {{ item.toString }}', { name: 'a' }, '{{ item.ghost }} {{ item.toString }}'],
  ['{{ item.length }}', 'text', '{{ item.length }}'],
])('%j of an item', (text, item, filled) => {
  expect(fillTemplate(text, { inputs: {}, item })).toBe(filled);
});

test('inserted values are not scanned again', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, value) => {
      const plain = before.replaceAll(/[{}]/g, '');
      const nasty = `{{ inputs.y }}${value}{{ item }}`;
      const values = { inputs: { x: nasty, y: 'Y' }, item: 'I' };
      expect(fillTemplate(`${plain}{{ inputs.x }}`, values)).toBe(`${plain}${nasty}`);
    }),
  );
});

test('a long text with an unclosed placeholder is scanned once', async () => {
  const text = '{{ inputs.a '.repeat(30_000) + '{'.repeat(50_000) + ' '.repeat(50_000);
  await expectPiecesAtMost(100, () => expect(fillTemplate(text, { inputs })).toBe(text));
});

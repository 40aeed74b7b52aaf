import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openPositions } from './positions.ts';

test('positions are found in any order, in any text', () => {
  const pieces = fc.array(fc.constantFrom('a', '\n', '\r\n', '😀', ' '), { maxLength: 30 });
  const asked = fc.array(fc.nat(40), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(pieces, asked, (text, places) => {
      const positionOf = openPositions(text.join(''));
      for (const place of places) {
        const before = text.slice(0, place).join('');
        const lines = before.split('\n');
        const column = [...(lines.at(-1) ?? '')].length + 1;
        expect(positionOf(before.length)).toEqual({ line: lines.length, column });
      }
    }),
  );
});

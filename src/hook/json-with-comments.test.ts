import { expect, test } from 'vitest';
import { parseJsonWithComments } from './json-with-comments.ts';

test.each([
  ['{}', {}],
  ['\ufeff{"a": 1}', { a: 1 }],
  ['{"a": [1, 2, /* x */ ], // y\n }', { a: [1, 2] }],
  [
    '// "a"\n{"b": "// no comment", "c": "/* none */", "d": ",]"}',
    {
      b: '// no comment',
      c: '/* none */',
      d: ',]',
    },
  ],
  [String.raw`{"a": "\" // \\", "b": 1 /* " */}`, { a: '" // \\', b: 1 }],
  ['{"a": 1} /* open', { a: 1 }],
])('%j is read', (text, value) => {
  expect(parseJsonWithComments(text)).toEqual(value);
});

test.each(['', '{', '{"a": "', '[1,,]', 'x', '{"a": 1} /'])('%j is not', (text) => {
  expect(parseJsonWithComments(text)).toBeUndefined();
});

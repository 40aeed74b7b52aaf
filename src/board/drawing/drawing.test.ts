// For workflows with any names: boxes do not overlap, text fits into 80 columns, and no text becomes
// markup or syntax.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunStep } from '../run.ts';
import { drawMermaid } from './draw-mermaid.ts';
import { drawSvg } from './draw-svg.ts';
import { drawText } from './draw-text.ts';
import type { BoxState, Drawing, DrawnBox } from './drawing.ts';
import { layOut, type WorkflowToDraw } from './layout.ts';
import { PHONE, SCREEN, TERMINAL } from './medium.ts';
import { cellWidth, graphemes, wrap } from './text-width.ts';

const STATES: readonly BoxState[] = ['to_do', 'current', 'accepted', 'failed', 'skipped'];
const HOSTILE = [
  '<script>alert(1)</script>',
  '"]; end; subgraph x["',
  '%%{init: {}}%%',
  '`**bold**`',
  'ａｌｌ 全角 한국어 👩‍👩‍👧‍👦 é',
  'a\u0000b\u001b[31mred\u0007\u202eevil',
  '#quot;&amp;&#39;',
  '\ud800',
  'x'.repeat(300),
];
const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.lorem({ maxCount: 12 }),
  fc.constantFrom(...HOSTILE),
);

const stepOf = fc.record({
  name: text,
  outputs: fc.array(
    text.map((name) => ({ name, type: 'file' as const, required: true, description: '' })),
    { maxLength: 2 },
  ),
  checks: fc.array(
    text.map((name) => ({ name, run: 'true' })),
    { maxLength: 2 },
  ),
  when: fc.option(text),
  state: fc.constantFrom<BoxState | null>(null, ...STATES),
});

const workflow: fc.Arbitrary<WorkflowToDraw> = fc
  .array(fc.array(stepOf, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 5 })
  .map((entries) => {
    const steps: (Omit<RunStep, 'progress' | 'description' | 'instructions'> &
      Pick<Partial<RunStep>, 'progress'>)[] = [];
    const kinds = entries.map((members) => ({
      kind: 'steps' as const,
      steps: members.map(({ state: of, ...each }) => {
        const id = `step_${steps.length}`;
        const progress = { state: of ?? 'to_do', attempts: 0, submissions: [] };
        steps.push({ id, rules: [], reviews: [], ...each, ...(of !== null && { progress }) });
        return id;
      }),
    }));
    return { entries: kinds, steps };
  });

const areApart = (a: DrawnBox, b: DrawnBox) =>
  a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height;

const isInside = (b: DrawnBox, a: DrawnBox) =>
  a.x <= b.x && a.y <= b.y && b.x + b.width <= a.x + a.width && b.y + b.height <= a.y + a.height;

test.each([
  ['a terminal', TERMINAL],
  ['a screen', SCREEN],
  ['a phone', PHONE],
])(
  'on %s boxes are within its width, beside or inside each other, and around their text',
  (...to) => {
    const [, medium] = to;
    fc.assert(
      fc.property(workflow, (each) => {
        const { boxes, width } = layOut('t', each, medium);
        expect(width).toBeLessThanOrEqual(medium.width);
        const wrong = boxes.flatMap((a, index) =>
          boxes.slice(index + 1).filter((b) => !areApart(a, b) && !isInside(b, a)),
        );
        expect(wrong).toEqual([]);
        const tight = boxes.filter(({ text: lines, state: of, width: most }) =>
          lines.some(
            (line) => medium.measure(line.text, line.role) + (of === null ? 0 : medium.mark) > most,
          ),
        );
        expect(tight).toEqual([]);
      }),
      { numRuns: 30 },
    );
  },
);

test.each([true, false])(
  'text fits 80 columns and has no control characters (ASCII: %s)',
  (ascii) => {
    fc.assert(
      fc.property(workflow, (each) => {
        const lines = drawText(layOut('t', each, TERMINAL), { ascii }).split('\n');
        const allowed = ascii ? /^[ -~]*$/ : /^[^\u0000-\u001f\u007f-\u009f\u202a-\u202e]*$/;
        expect(lines.filter((line) => cellWidth(line) > 80 || !allowed.test(line))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  },
);

function oneStep(of: BoxState): Drawing {
  const progress = { state: of, attempts: 0, submissions: [] };
  const nothing = { outputs: [], rules: [], checks: [], reviews: [], when: null };
  const steps = [{ ...nothing, id: 'draft', name: 'Draft', progress }];
  return layOut('t', { entries: [{ kind: 'steps', steps: ['draft'] }], steps }, TERMINAL);
}

test('each state has a sign of its own, without colour', () => {
  const signs = STATES.map((each) => /\S Draft/.exec(drawText(oneStep(each), { ascii: true })));
  expect(new Set(signs.map((found) => found?.[0])).size).toBe(STATES.length);
});

describe('every text stays text', () => {
  const each = (check: (drawing: Drawing) => void) =>
    fc.assert(
      fc.property(text, workflow, (title, of) => check(layOut(title, of, SCREEN))),
      { numRuns: 30 },
    );
  const TAG = /<(?:[^"<>]|"[^"<>]*")*>/g;
  const STYLE = /\.dw\{[\s\S]*?line-through\}/;

  test('in SVG', () => {
    each((drawing) => {
      const svg = drawSvg(drawing, { styled: true });
      const [names, rest] = [svg.match(TAG) ?? [], svg.replace(TAG, '')];
      const allowed = /^<\/?(?:svg|title|desc|style|g|rect|text|path)[ />]/;
      expect(names.filter((name) => !allowed.test(name))).toEqual([]);
      const bare = names.map((name) => name.replace(/"[^"]*"/g, ''));
      expect(bare.filter((name) => /\son\w+=|href|url\(/i.test(name))).toEqual([]);
      expect(rest.replace(STYLE, '')).not.toMatch(/[<"']|&(?!amp;|lt;|gt;|quot;|#39;)/);
      expect(svg).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
      expect(svg).not.toMatch(/\p{Surrogate}/u);
    });
  });

  // Each line has to match the part of the language's grammar that we use.
  test('in Mermaid', () => {
    const label = String.raw`"(?:[\p{L}\p{N}\p{M} .,_-]|#\d+;|<br/>)*"`;
    const line = new RegExp(
      [
        String.raw`^ +n\d+(?:\[${label}\]|\(\[${label}\]\))(?::::\w+)?$`,
        String.raw`^ +subgraph n\d+\[${label}\]$`,
        '^ +end$',
        String.raw`^ +n\d+ --> n\d+$`,
        String.raw`^ +classDef \w+ [\w:#,. -]+$`,
      ].join('|'),
      'u',
    );
    each((drawing) => {
      const [head, title, end, kind, ...lines] = drawMermaid(drawing).split('\n');
      expect([head, end, kind]).toEqual(['---', '---', 'flowchart TD']);
      expect(JSON.parse((title as string).slice('title: '.length))).toEqual(expect.any(String));
      expect(lines.slice(0, -1).filter((found) => !line.test(found))).toEqual([]);
    });
  });
});

test('text is wrapped at words and measured by what a terminal shows', () => {
  expect(wrap('one two three', 7, cellWidth, 4)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij', 4, cellWidth, 4)).toEqual(['abcd', 'efgh', 'ij']);
  expect(wrap('one two three four', 5, cellWidth, 2)).toEqual(['one', 'two…']);
  expect(wrap('全角文字', 5, cellWidth, 4)).toEqual(['全角', '文字']);
  const widths = {
    plain: 5,
    全角: 4,
    ｱｲｳ: 3,
    'e\u0301': 1,
    '👩‍👩‍👧‍👦': 2,
    '✓': 1,
    '❤️': 2,
    'a\u00adb': 2,
  };
  for (const [shown, width] of Object.entries(widths)) expect(cellWidth(shown), shown).toBe(width);
  expect(graphemes('ne\u0301e')).toEqual(['n', 'e\u0301', 'e']);
});

// For workflows with any names and any nesting: boxes do not overlap, lines connect the right boxes,
// text fits into 80 columns, and no text becomes markup or syntax.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunStep } from '../run.ts';
import { arrange, type DrawnItem } from './arrange.ts';
import { drawDot } from './draw-dot.ts';
import { drawHtml } from './draw-html.ts';
import { drawMermaid } from './draw-mermaid.ts';
import { drawSvg } from './draw-svg.ts';
import { drawText } from './draw-text.ts';
import type { BoxState, Drawing, DrawnBox } from './drawing.ts';
import { layOut, type RunToDraw, type WorkflowToDraw } from './layout.ts';
import { type Medium, PHONE, SCREEN, TERMINAL } from './medium.ts';
import { cellWidth, wrap } from './text-width.ts';

const MEDIA: readonly (readonly [string, Medium])[] = [
  ['a terminal', TERMINAL],
  ['a screen', SCREEN],
  ['a phone', PHONE],
];

const STATES: readonly BoxState[] = ['to_do', 'current', 'accepted', 'failed', 'skipped'];
const HOSTILE = [
  '<script>alert(1)</script>',
  '"]; end; subgraph x["',
  '\\"; }  digraph {',
  '%%{init: {}}%%',
  '`**bold**`',
  'end',
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
const state = fc.constantFrom<BoxState | null>(null, ...STATES);

let named = 0;
const step: fc.Arbitrary<DrawnItem> = fc
  .record({ label: text, notes: fc.array(text, { maxLength: 3 }), state })
  .map((each) => ({ kind: 'step', id: `s${++named}`, step: 'a', ...each }));
const { item } = fc.letrec<{ item: DrawnItem; frame: DrawnItem }>((tie) => ({
  item: fc.oneof({ maxDepth: 3, withCrossShrink: true }, step, tie('frame')),
  frame: fc
    .record({
      label: text,
      state,
      items: fc.array(tie('item'), { minLength: 1, maxLength: 6 }),
      sequence: fc.boolean(),
    })
    .map(({ label, state: of, items, sequence }) => {
      const flat = items.every(({ kind }) => kind === 'step');
      const inside = sequence || !flat ? ('sequence' as const) : ('side by side' as const);
      return { kind: 'frame' as const, id: `f${++named}`, label, state: of, items, inside };
    }),
}));

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
  state,
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

function overlap(a: DrawnBox, b: DrawnBox): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function contains(a: DrawnBox, b: DrawnBox): boolean {
  return (
    a.x <= b.x && a.y <= b.y && b.x + b.width <= a.x + a.width && b.y + b.height <= a.y + a.height
  );
}

function isAbove(boxes: ReadonlyMap<string, DrawnBox>, outer: string, box: DrawnBox): boolean {
  if (box.parent === null) return false;
  return box.parent === outer || isAbove(boxes, outer, boxes.get(box.parent) as DrawnBox);
}

describe.each(MEDIA)('on %s', (_, medium) => {
  test('no two boxes overlap, unless one is a frame around the other', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (items) => {
        const drawn = arrange(items, medium);
        const byId = new Map(drawn.boxes.map((box) => [box.id, box]));
        expect(drawn.width).toBeLessThanOrEqual(medium.width);
        const whole = { ...(drawn.boxes[0] as DrawnBox), ...drawn, x: 0, y: 0 };
        expect(drawn.boxes.filter((box) => !contains(whole, box))).toEqual([]);
        const wrong = drawn.boxes.flatMap((a, index) =>
          drawn.boxes
            .slice(index + 1)
            .filter((b) => (isAbove(byId, a.id, b) ? !contains(a, b) : overlap(a, b)))
            .map((b) => [a, b]),
        );
        expect(wrong).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test('every line leads from the edge of a box to the edge of the next, through none', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (items) => {
        const { boxes, lines } = arrange(items, medium);
        const byId = new Map(boxes.map((box) => [box.id, box]));
        const sequences = [items, ...framesIn(items)];
        expect(lines.length).toBe(sequences.reduce((sum, each) => sum + each.length - 1, 0));
        const wrong = lines.filter(({ from, to, x, top, bottom }) => {
          const [a, b] = [byId.get(from) as DrawnBox, byId.get(to) as DrawnBox];
          const line = { ...a, x, width: 0.5, y: top, height: bottom - top };
          const meets =
            [a, b].every((end) => end.x < x && x < end.x + end.width) &&
            a.y + a.height === top &&
            b.y === bottom;
          return !meets || boxes.some((box) => overlap(line, box) && !isAbove(byId, box.id, a));
        });
        expect(wrong).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test('every text fits into its box', () => {
    fc.assert(
      fc.property(workflow, (each) => {
        const wrong = layOut('t', each, medium).boxes.filter(({ text: lines, state: of, width }) =>
          lines.some(
            (line) =>
              medium.measure(line.text, line.role) + (of === null ? 0 : medium.mark) > width,
          ),
        );
        expect(wrong).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});

function framesIn(items: readonly DrawnItem[]): (readonly DrawnItem[])[] {
  return items.flatMap((each) => {
    if (each.kind !== 'frame') return [];
    const inner = framesIn(each.items);
    return each.inside === 'sequence' ? [each.items, ...inner] : inner;
  });
}

describe('text', () => {
  test.each([true, false])('fits 80 columns and has no control characters (ASCII: %s)', (ascii) => {
    fc.assert(
      fc.property(workflow, (each) => {
        const lines = drawText(layOut('t', each, TERMINAL), { ascii }).split('\n');
        const allowed = ascii ? /^[ -~]*$/ : /^[^\u0000-\u001f\u007f-\u009f\u202a-\u202e]*$/;
        expect(lines.filter((line) => cellWidth(line) > 80 || !allowed.test(line))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test('an arrow ends at a box, and begins at one', () => {
    fc.assert(
      fc.property(workflow, (each) => {
        const drawing = layOut('t', { ...each, steps: each.steps.map(plain) }, TERMINAL);
        const rows = drawText(drawing, { ascii: false }).split('\n');
        for (const { x, top, bottom } of drawing.lines) {
          expect(rows[bottom - 1]?.[x]).toBe('▼');
          expect(rows[top]?.[x]).toBe('│');
        }
        const joints = rows.join('').match(/[┬╤]/g)?.length ?? 0;
        // All but the start, which has no border.
        expect(joints).toBe(drawing.lines.length - 1);
      }),
      { numRuns: 30 },
    );
  });

  test('concurrent steps are beside each other, or in rows', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const drawn = (count: number) => {
      const ids = names.slice(0, count);
      const steps = ids.map((id) => plain({ id }));
      const each = { entries: [{ kind: 'steps' as const, steps: ids }], steps };
      return layOut('t', each, TERMINAL).boxes.filter(({ kind }) => kind === 'step');
    };
    expect(new Set(drawn(3).map(({ y }) => y)).size).toBe(1);
    const five = drawn(5);
    expect(new Set(five.map(({ y }) => y)).size).toBe(2);
    expect(five.map(({ label }) => label)).toEqual(names);
  });

  test('the current step has a sign and a border of its own, without colour', () => {
    const drawing = oneStep('current');
    expect(drawText(drawing, { ascii: false })).toMatch(/║ ▶ Draft/);
    expect(drawText(drawing, { ascii: true })).toMatch(/# > Draft/);
    const signs = STATES.map((each) => /\S Draft/.exec(drawText(oneStep(each), { ascii: true })));
    expect(new Set(signs.map((found) => found?.[0])).size).toBe(STATES.length);
    const painted = drawText(drawing, { ascii: false, paint: (of, part) => `<${of}:${part}>` });
    expect(painted).toContain('<current:║');
    expect(painted.replace(/<\w+:|>/g, '')).toBe(drawText(drawing, { ascii: false }));
  });
});

const EMPTY = { outputs: [], rules: [], checks: [], reviews: [], when: null };

function plain({ id }: { readonly id: string }): WorkflowToDraw['steps'][number] {
  return { ...EMPTY, id, name: id };
}

function oneStep(of: BoxState, run: RunToDraw | null = null): Drawing {
  const progress = { state: of, attempts: 0, submissions: [] };
  const steps = [{ ...EMPTY, id: 'draft', name: 'Draft', progress }];
  return layOut('t', { entries: [{ kind: 'steps', steps: ['draft'] }], steps }, TERMINAL, run);
}

test('a drawing of one moment says the pass and item of the run, and that it is being checked', () => {
  const notes = (run: Partial<RunToDraw>) => {
    const at: RunToDraw = { status: 'active', state: 'working', step: 'draft', ...run };
    return oneStep('current', at).boxes.flatMap((box) => box.notes);
  };
  const pass = { pass: 2, item: { index: 3, of: 7, accepted: 2 }, state: 'gate_running' } as const;
  // A drawing that is redrawn as the run moves keeps its size.
  expect(notes(pass)).toEqual([]);
  expect(notes({ ...pass, isMoment: true })).toEqual([
    'pass 2',
    '2 of 7 items accepted',
    'being checked',
  ]);
  expect(notes({ state: 'stalled', isMoment: true })).toEqual(['stalled']);
  const unattended = { agent: 'c', turn: 1, is_running: false, limit_until: null, stopped: null };
  expect(notes({ state: 'orphaned', unattended })).toEqual(['stopped']);
});

test('the current step of a run says what is wrong there, and the end how it ended', () => {
  const drawn = (status: RunToDraw['status'], state: RunToDraw['state']) => {
    const { boxes } = oneStep('to_do', { status, state, step: 'draft' });
    return boxes.flatMap(({ kind, label, notes }) => (kind === 'start' ? [] : [label, ...notes]));
  };
  expect(drawn('aborted', null)).toEqual(['Draft', 'stopped here', 'aborted']);
  expect(drawn('completed', null)).toEqual(['Draft', 'done']);
  expect(drawn('active', 'orphaned')).toEqual(['Draft', 'agent gone', 'end']);
  expect(drawn('active', 'working')).toEqual(['Draft', 'end']);
});

test('in SVG, no box is painted over a line: a line in a frame comes after the frame', () => {
  const PAINTED =
    /<path class="dw-line" d="M(?<at>[\d.]+) (?<top>[\d.]+)V|<rect x="(?<x>[\d.]+)" y="(?<y>[\d.]+)" width="(?<width>[\d.]+)" height="(?<height>[\d.]+)"/g;
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (items) => {
      const drawn = arrange(items, SCREEN);
      const svg = drawSvg({ title: 'a', ...drawn }, { styled: false });
      const painted = [...svg.matchAll(PAINTED)].map(({ groups }) => groups ?? {});
      const isLine = ({ at }: Record<string, string>) => at !== undefined;
      expect(painted.filter(isLine)).toHaveLength(drawn.lines.length);
      const hidden = painted.filter((line, index) => {
        const [x, y] = [Number(line.at), Number(line.top) + 1];
        return painted.slice(index).some((box) => {
          const [left, top] = [Number(box.x), Number(box.y)];
          const isBeside = x < left || x > left + Number(box.width);
          return (
            isLine(line) && !isLine(box) && !isBeside && y > top && y < top + Number(box.height)
          );
        });
      });
      expect(hidden).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

describe('every text stays text', () => {
  const each = (check: (drawing: Drawing, texts: readonly string[]) => void) =>
    fc.assert(
      fc.property(text, workflow, (title, of) => {
        const drawing = layOut(title, of, SCREEN);
        check(drawing, [title, ...drawing.boxes.flatMap(({ label, notes }) => [label, ...notes])]);
      }),
      { numRuns: 30 },
    );
  const TAG = /<(?:[^"<>]|"[^"<>]*")*>/g;

  test('in SVG', () => {
    each((drawing) => {
      const svg = drawSvg(drawing, { styled: true });
      const [names, rest] = [svg.match(TAG) ?? [], svg.replace(TAG, '')];
      const allowed = /^<\/?(?:svg|title|desc|style|g|rect|text|path)[ />]/;
      expect(names.filter((name) => !allowed.test(name))).toEqual([]);
      expect(
        names.filter((name) => /\son\w+=|href|url\(/i.test(name.replace(/"[^"]*"/g, ''))),
      ).toEqual([]);
      const outsideStyle = rest.replace(DRAWN_STYLE, '');
      expect(outsideStyle).not.toMatch(/[<"']|&(?!amp;|lt;|gt;|quot;|#39;)/);
      expect(svg).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
      expect(svg).not.toMatch(/\p{Surrogate}/u);
    });
  });

  test('in HTML, which loads nothing and runs nothing', () => {
    each((drawing, texts) => {
      const html = drawHtml(drawing, drawing, texts.join(' '));
      expect(html).toContain("default-src 'none'; style-src 'sha256-");
      expect(html).not.toMatch(/<script|<img|\ssrc=|<link|<iframe/i);
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

  test('in Graphviz', () => {
    const quoted = String.raw`"(?:[^"\\]|\\["\\n])*"`;
    const value = String.raw`(?:\w+|${quoted})`;
    const list = String.raw`\[\w+=${value}(?:, \w+=${value})*\]`;
    const line = new RegExp(
      [
        String.raw`^digraph workflow \{$`,
        `^ +label=${quoted}; labelloc=t; rankdir=TB; compound=true;$`,
        String.raw`^ +(?:node|n\d+) ${list};$`,
        String.raw`^ +subgraph cluster_n\d+ \{$`,
        `^ +label=${quoted}; style="dashed"; color="#8a94a3";$`,
        String.raw`^ +n\d+ -> n\d+(?: ${list})?;$`,
        String.raw`^ *\}$`,
      ].join('|'),
      'u',
    );
    each((drawing) => {
      const lines = drawDot(drawing).split('\n').slice(0, -1);
      expect(lines.filter((found) => !line.test(found))).toEqual([]);
    });
  });
});

const DRAWN_STYLE = /\.dw\{[\s\S]*?line-through\}/;

describe('wrapping', () => {
  test('breaks at words, cuts long ones, and says what it leaves out', () => {
    expect(wrap('one two three', 7, cellWidth, 4)).toEqual(['one two', 'three']);
    expect(wrap('abcdefghij', 4, cellWidth, 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(wrap('one two three four', 5, cellWidth, 2)).toEqual(['one', 'two…']);
    expect(wrap('全角文字', 5, cellWidth, 4)).toEqual(['全角', '文字']);
    expect(wrap('', 5, cellWidth, 4)).toEqual([]);
  });

  test('measures what a terminal shows', () => {
    const widths = [
      ['plain', 5],
      ['全角', 4],
      ['한글', 4],
      ['ｱｲｳ', 3],
      ['e\u0301', 1],
      ['👩‍👩‍👧‍👦', 2],
      ['✓', 1],
      ['❤️', 2],
    ] as const;
    for (const [shown, width] of widths) expect([shown, cellWidth(shown)]).toEqual([shown, width]);
  });
});

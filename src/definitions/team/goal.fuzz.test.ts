// Reading any file ends soon: with a team, without one, or with one line that describes the
// problem.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { frontMatterText, readFrontMatter } from '../source/front-matter.ts';
import { agentsOfFlow, parseGoal } from './goal.ts';

const CASES = Number(process.env.DEEPWORK_CASES ?? 6000);
/** For what does not end: a case takes less than a millisecond. */
const TIMEOUT_MS = 180_000 + 10 * CASES;

/** Fragments that have a meaning in DOT, YAML or Markdown. */
const piece = fc.oneof(
  fc.constantFrom(
    ...['a', 'b', 'c-d', '"a b"', '"', '\\', '"\\"', '->', '--', '-', '{', '}', '[', ']', ';', ','],
    ...['=', ':', '+', '<', '>', '<b>', '#', '//', '/*', '*/', '/', '\n', ' ', '\r\n', '\t'],
    ...['digraph', 'graph', 'subgraph', 'strict', 'node', 'edge', 'digraph {', '@x', '|', '\0'],
    ...['---\n', '---', 'flow: ', 'models: ', '  a: m\n', '- ', '? ', '&x ', '*x', '!t ', "'"],
    ...['name: ', 'description: ', '>\n', '...', '%', '\ufeff', '__proto__: ', '<<: '],
  ),
  fc.string({ maxLength: 6 }),
);
const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));

it(
  'ends for any flow',
  () => {
    verifies('TEAM-17');
    fc.assert(
      fc.property(text, (flow) => {
        const read = agentsOfFlow(flow);
        if (read.kind === 'broken') expect(read.reason).toMatch(/^[^\n\r]{1,1000}$/);
        else expect(new Set(read.names).size).toBe(read.names.length);
      }),
      { numRuns: CASES },
    );
  },
  TIMEOUT_MS,
);

it(
  'ends for any front matter',
  async () => {
    verifies('TEAM-17', 'TEAM-37');
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), async (content, opened) => {
        const page = opened ? `---\n${content}\n---\n` : content;
        const front = await readFrontMatter(page);
        if (front.kind === 'map')
          expect(frontMatterText(front.map, 'name') ?? 'x').not.toMatch(/[\n\r]/);
        const goal = await parseGoal(page);
        if (goal.kind === 'broken') expect(goal.problems.length).toBeGreaterThan(0);
        for (const { message } of goal.problems) expect(message).toMatch(/^[^\n\r]{1,2000}$/);
      }),
      { numRuns: CASES },
    );
  },
  TIMEOUT_MS,
);

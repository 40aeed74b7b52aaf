import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Located } from '../reader/fields.ts';
import { findCycles } from './dependency-cycles.ts';
import type { ParsedStep } from './parsed-step.ts';

function stepsOf(edges: readonly (readonly number[])[]): Map<string, ParsedStep> {
  const located = (value: string, index = 0): Located => ({ value, path: [index], at: 'value' });
  return new Map(
    edges.map((targets, index) => [
      `s${index}`,
      {
        id: located(`s${index}`),
        name: 'n',
        description: 'd',
        instructionsFile: located('a.md'),
        dependencies: targets.map((target, at) => located(`s${target}`, at)),
        inputs: [],
        outputs: [],
        reviews: [],
        checks: [],
        reports: null,
        when: null,
      },
    ]),
  );
}

/** The slow, obvious algorithm: which steps reach each other. */
function firstOfEachCycle(edges: readonly (readonly number[])[]): string[] {
  const reach = edges.map((_, start) => {
    const seen = new Set<number>();
    const open = [...(edges[start] ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(edges[next] ?? []));
    }
    return seen;
  });
  const inCircle = (a: number, b: number) => reach[a]?.has(b) === true && reach[b]?.has(a) === true;
  return edges.flatMap((_, index) => {
    const first = edges.findIndex((_, other) => inCircle(index, other));
    return first === index ? [`s${index}`] : [];
  });
}

it('finds exactly the existing cycles, named after their first step', () => {
  const graph = fc
    .integer({ min: 1, max: 8 })
    .chain((size) =>
      fc.array(fc.array(fc.nat(size), { maxLength: 3 }), { minLength: size, maxLength: size }),
    );
  fc.assert(
    fc.property(graph, (edges) => {
      const cycles = findCycles(stepsOf(edges));
      expect(cycles.map(({ step }) => step.id.value)).toEqual(firstOfEachCycle(edges));
      for (const { step, through } of cycles) expect(step.dependencies).toContain(through);
    }),
    { numRuns: 500 },
  );
});

it('walks a chain of many thousands without a stack overflow', () => {
  const chain = Array.from({ length: 50_000 }, (_, index) => [index + 1]);
  expect(findCycles(stepsOf(chain))).toEqual([]);
  const [cycle, ...others] = findCycles(stepsOf([...chain.slice(0, -1), [0]]));
  expect(cycle?.step.id.value).toBe('s0');
  expect(others).toEqual([]);
});

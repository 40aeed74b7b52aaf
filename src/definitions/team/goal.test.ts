// The team in the front matter of GOAL.md, and its flow as a graph. What each mistake is refused for is in
// test/words/problems.test.ts.

import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { findCycle, parseDot } from './dot.ts';
import { agentsOfFlow, joinAgents, parseGoal } from './goal.ts';

const goalOf = (front: string) => parseGoal(`---\n${front}\n---\n# Goal\n`);

/** The nodes, and the edges. */
function graph(text: string) {
  const dot = parseDot(text);
  if (dot.kind === 'broken') throw new Error(dot.reason);
  const edges = [...dot.edges].flatMap(([from, to]) => [...to].map((each) => `${from}>${each}`));
  return [dot.nodes.join(' '), edges.join(' ')];
}

describe('the front matter', () => {
  it('does not define a team without flow and models', async () => {
    verifies('TEAM-17');
    for (const text of ['', '# Goal', '---\n---\n', '---\ntitle: x\n---\n', '---\n# flow\n']) {
      expect(await parseGoal(text)).toMatchObject({ kind: 'none' });
    }
    expect(await goalOf('flwo: a -> b')).toMatchObject({
      kind: 'none',
      problems: [{ code: 'unknown_key', at: { line: 2, column: 1 } }],
    });
  });

  it('has a flow as text or as the name of a file', async () => {
    verifies('TEAM-17');
    for (const [front, flow] of [
      ['flow: |\n  a -> b', { kind: 'text', text: 'a -> b\n' }],
      ['flow:', { kind: 'text', text: '' }],
      ['flow: "@team/flow.dot"', { kind: 'file', file: 'team/flow.dot' }],
      ['models: {a: m}', null],
    ] as const) {
      expect(await goalOf(front)).toMatchObject({ kind: 'goal', flow });
    }
  });

  it('has models as text or lists', async () => {
    verifies('TEAM-17');
    const modelsOf = async (front: string) => {
      const goal = await goalOf(front);
      return goal.kind === 'goal' ? Object.fromEntries(goal.models) : goal;
    };
    const three = 'three: [m1, "m2 ( low )", m1, 4.10, "m3 ()"]';
    const lines = ['one: vendor/m-1', 'two: "vendor/m-1(high)"', three, 'four:'];
    expect(await modelsOf(`models:\n  ${lines.join('\n  ')}`)).toEqual({
      one: ['vendor/m-1'],
      two: ['vendor/m-1 (high)'],
      three: ['m1', 'm2 (low)', '4.10', 'm3'],
      four: [],
    });
    expect(await modelsOf('models:')).toEqual({});
  });

  it('has all problems with their places, also if it has no end', async () => {
    verifies('TEAM-17');
    expect(await goalOf('title: x\nflow: [a]\nmodels: a')).toMatchObject({
      kind: 'broken',
      problems: [
        { code: 'unknown_key', at: { line: 2, column: 1 } },
        { code: 'wrong_type', at: { line: 3, column: 7 } },
        { code: 'wrong_type', at: { line: 4, column: 9 } },
      ],
    });
    const [problem] = (await parseGoal('---\nflow: a\n')).problems;
    expect(problem?.message).toContain("'---'");
  });
});

describe('a flow', () => {
  it('is a body or a whole graph, of bare and quoted names', () => {
    verifies('TEAM-17');
    for (const text of [
      'a -> b; b -> c',
      'a->b\nb->c',
      'digraph { a -> b -> c }',
      'digraph G { "a" -> "b"; b -> c; }',
      'strict DiGraph "the flow" {\n a -> b -> c\n}\n',
    ]) {
      expect(graph(text), text).toEqual(['a b c', 'a>b b>c']);
    }
    expect(graph('digraph {}')).toEqual(['', '']);
    expect(graph('alone')).toEqual(['alone', '']);
    expect(graph('go-dev -> "html/css dev" -> v1.2 -> -3')).toEqual([
      'go-dev html/css dev v1.2 -3',
      'go-dev>html/css dev html/css dev>v1.2 v1.2>-3',
    ]);
    expect(graph('"say \\"hi\\"" -> "one" + "-" + "two"')[0]).toBe('say "hi" one-two');
    expect(graph('a-b->c')).toEqual(['a-b c', 'a-b>c']);
    expect(graph('"node" -> "größe" -> 開発')[0]).toBe('node größe 開発');
  });

  it('may have groups, and what only affects the drawing is ignored', () => {
    verifies('TEAM-17');
    expect(graph('a -> {b c} -> d')).toEqual(['a b c d', 'a>b a>c b>d c>d']);
    expect(graph('subgraph cluster_x { label="y"; a -> b } b -> subgraph { c; d }')).toEqual([
      'a b c d',
      'a>b b>c b>d',
    ]);
    expect(
      graph(`# a line for the preprocessor
        digraph flow { // a comment
          rankdir = LR; graph [label="x -> y"]; node [shape=box, style="a;b"] edge [color=red]
          a [label=<<b>bold</b> &gt; x>, x=1] [y=2];
          a:port:nw -> b:s [weight=2] /* b -> nobody
          */
        }`),
    ).toEqual(['a b', 'a>b']);
  });

  it('names the agents, or the only one there is', () => {
    verifies('TEAM-17');
    expect(agentsOfFlow('b -> a')).toEqual({ kind: 'agents', names: ['b', 'a'] });
    for (const empty of ['', ' \n', 'digraph {}', '// nobody']) {
      expect(agentsOfFlow(empty)).toEqual({ kind: 'agents', names: ['general-purpose'] });
    }
    const models = new Map([
      ['b', ['m']],
      ['c', ['n']],
    ]);
    expect(joinAgents(['a', 'b'], models)).toEqual([
      { name: 'a', models: [], command: null },
      { name: 'b', models: ['m'], command: null },
      { name: 'c', models: ['n'], command: null },
    ]);
  });

  it('has no cycle, however long or wide it is', () => {
    verifies('TEAM-17');
    const cycleOf = (text: string) => {
      const dot = parseDot(text);
      return dot.kind === 'graph' ? findCycle(dot.edges) : null;
    };
    expect(cycleOf('a -> b -> c -> b')).toEqual(['b', 'c', 'b']);
    expect(cycleOf('a -> a')).toEqual(['a', 'a']);
    expect(cycleOf('a -> {b c} -> d')).toBeNull();
    expect(cycleOf('x -> y; a -> b -> c; c -> a')).toEqual(['a', 'b', 'c', 'a']);
    const chain = Array.from({ length: 1000 }, (_, index) => `n${index}`).join(' -> ');
    expect(cycleOf(chain)).toBeNull();
    expect(cycleOf(`${chain} -> n0`)).toHaveLength(1001);
    const layer = (at: number) =>
      `{${Array.from({ length: 25 }, (_, index) => `l${at}x${index}`).join(' ')}}`;
    expect(cycleOf(Array.from({ length: 20 }, (_, at) => layer(at)).join(' -> '))).toBeNull();
  });

  it('is read to an end if it is large or deeply nested', () => {
    const names = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `n${from + index}`).join(' ');
    for (const [text, why] of [
      ['{'.repeat(100_000), 'nested deeper'],
      ['a;'.repeat(60_000), 'more than 100000 words'],
      [names(0, 1001), 'more than 1000 nodes'],
      [`{${names(0, 400)}} -> {${names(400, 400)}}`, 'more than 20000 edges'],
      [`"${'x'.repeat(900_000)}`, 'unclosed'],
      ['<'.repeat(500_000), 'unclosed'],
    ] as const) {
      expect(agentsOfFlow(text)).toMatchObject({ reason: expect.stringContaining(why) });
    }
    expect(graph(`"${'\\"'.repeat(400_000)}"`)[0]).toHaveLength(400_000);
  });
});

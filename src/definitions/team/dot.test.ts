import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { findCycle, parseDot } from './dot.ts';

function graph(text: string) {
  const dot = parseDot(text);
  if (dot.kind === 'broken') throw new Error(dot.reason);
  const edges = [...dot.edges].flatMap(([from, to]) => [...to].map((each) => `${from}>${each}`));
  return [dot.nodes.join(' '), edges.join(' ')];
}

function reason(text: string): string {
  const dot = parseDot(text);
  if (dot.kind === 'graph') throw new Error(`nodes: ${dot.nodes.join()}`);
  return dot.reason;
}

describe('parseDot', () => {
  it('reads bodies and whole graphs', () => {
    verifies('TEAM-17');
    for (const text of [
      'a -> b; b -> c',
      'a -> b -> c',
      'a->b\nb->c',
      'digraph { a -> b -> c }',
      'digraph G { "a" -> "b"; b -> c; }',
      'strict DiGraph "the flow" {\n a -> b -> c\n}\n',
    ]) {
      expect(graph(text), text).toEqual(['a b c', 'a>b b>c']);
    }
    expect(graph('')).toEqual(['', '']);
    expect(graph('digraph {}')).toEqual(['', '']);
    expect(graph('alone')).toEqual(['alone', '']);
  });

  it('accepts bare and quoted names', () => {
    verifies('TEAM-17');
    expect(graph('go-dev -> "html/css dev" -> v1.2 -> -3')).toEqual([
      'go-dev html/css dev v1.2 -3',
      'go-dev>html/css dev html/css dev>v1.2 v1.2>-3',
    ]);
    expect(graph('"say \\"hi\\"" -> "one" + "-" + "two"')[0]).toBe('say "hi" one-two');
    expect(graph('a-b->c')).toEqual(['a-b c', 'a-b>c']);
    expect(graph('"node" -> "graph"')[0]).toBe('node graph');
    expect(graph('größe -> 開発')[0]).toBe('größe 開発');
  });

  it('ignores what only affects the drawing', () => {
    verifies('TEAM-17');
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

  it('joins groups', () => {
    verifies('TEAM-17');
    expect(graph('a -> {b c} -> d')).toEqual(['a b c d', 'a>b a>c b>d c>d']);
    expect(graph('subgraph cluster_x { label="y"; a -> b } b -> subgraph { c; d }')).toEqual([
      'a b c d',
      'a>b b>c b>d',
    ]);
  });

  it('reports problems with their lines', () => {
    verifies('TEAM-17');
    expect(reason('a -> ')).toBe('expected a node, found its end (line 1 of the flow)');
    expect(reason('a\n-> -> b')).toBe("expected a node, found '->' (line 2 of the flow)");
    expect(reason('a -- b')).toContain("'--' has no direction");
    expect(reason('graph { a -- b }')).toContain("make it a 'digraph'");
    expect(reason('digraph { a')).toContain("expected '}', found its end");
    expect(reason('digraph { a } b')).toContain('expected the end of the flow');
    expect(reason('a }')).toContain("expected the end of the flow, found '}'");
    expect(reason('"a')).toContain('unclosed quote');
    expect(reason('a /* b')).toContain('unclosed comment');
    expect(reason('a [x')).toContain("expected ']'");
    expect(reason('a [x [y]]')).toContain("found '['");
    expect(reason('a = ')).toContain('expected a value');
    expect(reason('<b> -> c')).toContain('expected a node');
    expect(reason('a > b')).toContain("unexpected '>'");
    expect(reason('a + b')).toContain("'+' is allowed only between quoted texts");
    expect(reason('subgraph -> node')).toContain('put it in quotes');
  });

  it('ends for large and deeply nested texts', () => {
    expect(reason('{'.repeat(100_000))).toContain('nested deeper');
    expect(reason('a;'.repeat(60_000))).toContain('more than 100000 words');
    const many = Array.from({ length: 1001 }, (_, index) => `n${index}`).join(';');
    expect(reason(many)).toContain('more than 1000 nodes');
    const half = (from: number) =>
      Array.from({ length: 400 }, (_, index) => `n${from + index}`).join(' ');
    expect(reason(`{${half(0)}} -> {${half(400)}}`)).toContain('more than 20000 edges');
    expect(reason(`"${'x'.repeat(900_000)}`)).toContain('unclosed');
    expect(graph(`"${'\\"'.repeat(400_000)}"`)[0]).toHaveLength(400_000);
    expect(reason('<'.repeat(500_000))).toContain("unclosed '<'");
  });
});

describe('findCycle', () => {
  const cycleOf = (text: string) => {
    const dot = parseDot(text);
    return dot.kind === 'graph' ? findCycle(dot.edges) : null;
  };

  it('finds a cycle', () => {
    verifies('TEAM-17');
    expect(cycleOf('a -> b -> c -> b')).toEqual(['b', 'c', 'b']);
    expect(cycleOf('a -> a')).toEqual(['a', 'a']);
    expect(cycleOf('a -> {b c} -> d')).toBeNull();
    expect(cycleOf('x -> y; a -> b -> c; c -> a')).toEqual(['a', 'b', 'c', 'a']);
    expect(cycleOf('')).toBeNull();
  });

  it('walks a long graph without a stack overflow, and a wide one in little time', () => {
    const chain = Array.from({ length: 1000 }, (_, index) => `n${index}`).join(' -> ');
    expect(cycleOf(chain)).toBeNull();
    expect(cycleOf(`${chain} -> n0`)).toHaveLength(1001);
    const layers = Array.from({ length: 20 }, (_, layer) => {
      return `{${Array.from({ length: 25 }, (_, index) => `l${layer}x${index}`).join(' ')}}`;
    });
    expect(cycleOf(layers.join(' -> '))).toBeNull();
  });
});

// Reads a flow of agents written in DOT, the language of Graphviz: a whole `digraph`, or only its
// body. Nodes are agents; attributes are ignored. Names with dashes, dots and slashes need no
// quotes here.

import { lexDot, type Token } from './dot-lexer.ts';

export type Dot =
  | { readonly kind: 'graph'; readonly nodes: readonly string[]; readonly edges: Edges }
  | { readonly kind: 'broken'; readonly reason: string };

/** From each node to those that its arrows point at. */
export type Edges = ReadonlyMap<string, ReadonlySet<string>>;

const MAX_NODES = 1000;
const MAX_EDGES = 20_000;
const MAX_DEPTH = 32;
const KEYWORDS = new Set(['node', 'edge', 'graph', 'digraph', 'subgraph', 'strict']);

class Broken extends Error {}

export function parseDot(text: string): Dot {
  const lexed = lexDot(text);
  if (lexed.kind === 'broken') return lexed;
  try {
    return readGraph(lexed.tokens);
  } catch (error) {
    if (error instanceof Broken) return { kind: 'broken', reason: error.message };
    throw error;
  }
}

function readGraph(tokens: readonly Token[]): Dot {
  const edges = new Map<string, Set<string>>();
  let edgeCount = 0;
  let at = 0;

  const peek = (ahead = 0): Token | undefined => tokens[at + ahead];
  const isMark = (mark: string, ahead = 0) => {
    const token = peek(ahead);
    return token?.kind === 'mark' && token.text === mark;
  };
  const isWord = (word: string, ahead = 0) => {
    const token = peek(ahead);
    return token?.kind === 'bare' && token.text.toLowerCase() === word;
  };
  const isName = (ahead = 0) => {
    const kind = peek(ahead)?.kind;
    return kind === 'bare' || kind === 'quoted';
  };
  const isValue = () => isName() || peek()?.kind === 'html';

  const fail = (why: string): never => {
    const line = peek()?.line ?? tokens.at(-1)?.line ?? 1;
    throw new Broken(`${why} (line ${line} of the flow)`);
  };
  const found = () => {
    const token = peek();
    return token === undefined ? 'its end' : `'${token.text.slice(0, 40)}'`;
  };
  const expect = (mark: string) => {
    if (!isMark(mark)) fail(`expected '${mark}', found ${found()}`);
    at += 1;
  };

  const addNode = (name: string) => {
    if (edges.has(name)) return;
    if (edges.size >= MAX_NODES) fail(`more than ${MAX_NODES} nodes`);
    edges.set(name, new Set());
  };
  const addEdges = (from: readonly string[], to: readonly string[]) => {
    for (const one of from) {
      const targets = edges.get(one);
      for (const other of to) {
        if (targets === undefined || targets.has(other)) continue;
        if (++edgeCount > MAX_EDGES) fail(`more than ${MAX_EDGES} edges`);
        targets.add(other);
      }
    }
  };

  /** Statements up to a closing brace or the end: the nodes they name. */
  const statements = (depth: number): string[] => {
    if (depth > MAX_DEPTH) fail(`nested deeper than ${MAX_DEPTH} levels`);
    const named = new Set<string>();
    while (peek() !== undefined && !isMark('}')) {
      if (isMark(';') || isMark(',')) at += 1;
      else for (const name of statement(depth)) named.add(name);
    }
    return [...named];
  };

  const statement = (depth: number): string[] => {
    const defaults = ['node', 'edge', 'graph'].some((word) => isWord(word));
    if (defaults && isMark('[', 1)) {
      at += 1;
      attributes();
      return [];
    }
    if (isName() && isMark('=', 1)) {
      at += 2;
      if (!isValue()) fail(`expected a value, found ${found()}`);
      at += 1;
      return [];
    }
    let left = endpoint(depth);
    const named = [...left];
    while (isMark('->') || isMark('--')) {
      if (isMark('--')) fail("'--' has no direction; write '->'");
      at += 1;
      const right = endpoint(depth);
      addEdges(left, right);
      named.push(...right);
      left = right;
    }
    attributes();
    return named;
  };

  /** A node or a group of them. */
  const endpoint = (depth: number): string[] => {
    if (isWord('subgraph')) {
      at += 1;
      if (isName()) at += 1;
      if (!isMark('{')) return [];
    }
    if (isMark('{')) {
      at += 1;
      const named = statements(depth + 1);
      expect('}');
      return named;
    }
    const token = peek();
    if (token === undefined || !isName()) return fail(`expected a node, found ${found()}`);
    if (token.kind === 'bare' && KEYWORDS.has(token.text.toLowerCase())) {
      fail(`'${token.text}' is a keyword of DOT; put it in quotes if it is a node`);
    }
    at += 1;
    // A port: where on the drawn node an arrow ends.
    while (isMark(':')) {
      at += 1;
      if (!isName()) fail(`expected a port, found ${found()}`);
      at += 1;
    }
    const name = token.text.trim();
    addNode(name);
    return [name];
  };

  const attributes = () => {
    while (isMark('[')) {
      while (peek() !== undefined && !isMark(']')) {
        at += 1;
        if (isMark('[')) fail("expected ']', found '['");
      }
      expect(']');
    }
  };

  const strict = isWord('strict') ? 1 : 0;
  const opens = (ahead: number) => isMark('{', ahead) || (isName(ahead) && isMark('{', ahead + 1));
  if (isWord('graph', strict) && opens(strict + 1)) {
    fail("a 'graph' has no direction; make it a 'digraph'");
  }
  if (isWord('digraph', strict)) {
    at += strict + 1;
    if (isName()) at += 1;
    expect('{');
    statements(1);
    expect('}');
  } else statements(1);
  if (peek() !== undefined) fail(`expected the end of the flow, found ${found()}`);
  return { kind: 'graph', nodes: [...edges.keys()], edges };
}

/** A path from a node back to itself; null if there is none. */
export function findCycle(edges: Edges): readonly string[] | null {
  const done = new Set<string>();
  for (const start of edges.keys()) {
    const path = [{ name: start, next: targetsOf(edges, start) }];
    const onPath = new Set([start]);
    for (let here = path.at(-1); here; here = path.at(-1)) {
      const { value: target, done: last } = here.next.next();
      if (last || target === undefined) {
        done.add(here.name);
        onPath.delete(here.name);
        path.pop();
      } else if (onPath.has(target)) {
        const names = path.map(({ name }) => name);
        return [...names.slice(names.indexOf(target)), target];
      } else if (!done.has(target)) {
        path.push({ name: target, next: targetsOf(edges, target) });
        onPath.add(target);
      }
    }
  }
  return null;
}

function targetsOf(edges: Edges, name: string): Iterator<string, undefined> {
  return (edges.get(name) ?? new Set<string>())[Symbol.iterator]();
}

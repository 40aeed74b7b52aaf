// Corrupts JSON: in its text, byte by byte and piece by piece, and in its structure, value by
// value. The same seed gives the same corruption.

import type { Random } from '../support/random.ts';

/** Pieces that have a meaning in JSON, in JSON-RPC or in a guide. */
const PIECES = [
  ...['', ' ', ',', ':', '{', '}', '[', ']', '"', '\\', '[]', '{}', 'null', 'true', '-1', '1e999'],
  ...['"id":', '"id":{},', '"jsonrpc":"2.0",', '"method":1,', '"params":[],', '"params":null'],
  ...[
    '"__proto__":{"x":1},',
    '"constructor":',
    '"_meta":{},',
    '"\\ud800"',
    '\ufeff',
    '\u0000',
    '😀',
  ],
  ...['"steps":', '"var":', '"not":{', '"and":[', '"type":"loop",', '"schema":{"$ref":"#"},'],
  ...['"pattern":"(a+)+$",', '"(?x)"', '"../../etc/passwd"', '[[[[[[[[[[[[', '"notifications/x"'],
];

const VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e21, '', 'x', 'demo', '__proto__', '\u0000', '../x', 'é😀'],
  ...[[], {}, [null], [[]], { a: 1 }, { var: 'x' }, { error: 1 }, 'x'.repeat(3000)],
  ...[
    ['first', 'first'],
    { type: 'contains' },
    { and: [] },
    { '': '' },
    JSON.parse('{"__proto__":1}'),
  ],
];

export function mutate(text: string, random: Random): string {
  return random.chance(0.5) ? spoilText(text, random) : spoilStructure(text, random);
}

function spoilText(text: string, random: Random): string {
  let spoilt = text;
  for (let edits = 1 + random.below(3); edits > 0; edits--) {
    const at = random.below(spoilt.length + 1);
    const drop = random.chance(0.5) ? 0 : random.below(12);
    const put = random.chance(0.2)
      ? spoilt.slice(random.below(spoilt.length + 1)).slice(0, 20)
      : random.pick(PIECES);
    spoilt = spoilt.slice(0, at) + put + spoilt.slice(at + drop);
  }
  return spoilt.replaceAll('\n', ' ');
}

function spoilStructure(text: string, random: Random): string {
  const root: unknown = JSON.parse(text);
  for (let edits = 1 + random.below(2); edits > 0; edits--) {
    const holder = random.pick(holdersIn(root));
    const keys = Object.keys(holder);
    const key = keys.length > 0 && random.chance(0.8) ? random.pick(keys) : 'extra';
    if (random.chance(0.25)) delete holder[key];
    else holder[key] = structuredClone(random.pick(VALUES));
  }
  return JSON.stringify(root);
}

/** Every object and array inside, the outermost first. */
function holdersIn(root: unknown): Record<string, unknown>[] {
  const holders: Record<string, unknown>[] = [];
  const pending = [root];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (typeof next !== 'object' || next === null) continue;
    holders.push(next as Record<string, unknown>);
    pending.push(...Object.values(next));
  }
  return holders;
}

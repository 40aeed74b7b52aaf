import { expect, test } from 'vitest';
import { chooseSeed, randomFrom } from '../../test/support/random.ts';
import { openJoinedTexts } from './joined-texts.ts';

interface Item {
  readonly text: string;
}

const TEXTS = ['', 'a', 'ünïcödé', '🙂', 'x'.repeat(50)];

test('the bytes are those of all texts, joined, however the list has changed since', () => {
  const random = randomFrom(chooseSeed());
  const item = (): Item => ({ text: random.pick(TEXTS) });
  for (let round = 0; round < 100; round++) {
    const joined = openJoinedTexts<Item>(', ', ({ text }) => text);
    let items: readonly Item[] = [];
    for (let change = 0; change < 30; change++) {
      const at = random.below(items.length + 1);
      const added = Array.from({ length: random.below(4) }, item);
      const ways = {
        grow: () => [...items, ...added],
        moveOn: () => [...items.slice(at), ...added],
        goBack: () => [...items.slice(0, at), ...added],
        replaceOne: () => items.map((each, index) => (index === at ? item() : each)),
        beginAnew: () => added,
        stay: () => [...items],
      };
      const way = random.pick(Object.keys(ways) as (keyof typeof ways)[]);
      items = ways[way]();
      const expected = items.map(({ text }) => text).join(', ');
      expect(Buffer.from(joined(items)).toString(), way).toBe(expected);
    }
  }
});

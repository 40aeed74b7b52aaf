import { expect, test } from 'vitest';
import { NO_DRAFT, openDrafts, type TextStore } from './drafts.ts';

function memoryStore(): TextStore & { readonly map: Map<string, string> } {
  const map = new Map<string, string>();
  return {
    map,
    get length() {
      return map.size;
    },
    key: (index) => [...map.keys()][index] ?? null,
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => void map.set(key, value),
    removeItem: (key) => void map.delete(key),
  };
}

test('a draft can be read back after a reload, and an empty draft leaves nothing', () => {
  const store = memoryStore();
  const draft = { choices: ['A, with "quotes"'], text: '\nhalf a\nsentence <b>' };
  openDrafts(store).write('here:q-1', draft);
  expect(openDrafts(store).read('here:q-1')).toEqual(draft);
  expect(openDrafts(store).read('elsewhere:q-1')).toEqual(NO_DRAFT);
  openDrafts(store).write('here:q-1', NO_DRAFT);
  expect(store.map.size).toBe(0);
});

test('damaged drafts count as none, and the oldest are dropped', () => {
  const store = memoryStore();
  store.map.set('deepwork:draft:a', '{not json');
  store.map.set('deepwork:draft:b', '{"choices":3,"text":[]}');
  store.map.set('deepwork:draft:c', 'null');
  store.map.set('other', 'kept');
  const drafts = openDrafts(store);
  for (const key of ['a', 'b', 'c']) expect(drafts.read(key)).toEqual(NO_DRAFT);
  for (let n = 0; n < 300; n += 1) drafts.write(`q-${n}`, { choices: [], text: `${n}` });
  expect(store.map.size).toBe(201);
  expect(drafts.read('q-299').text).toBe('299');
});

import { expect, it } from 'vitest';
import { modelId, modelIdsOf, modelsInUse, nameProblem, readModel } from './agents.ts';

it('makes model ids', () => {
  expect(modelId('a', 'm', null)).toBe('a:m');
  expect(modelId('a', 'm', '')).toBe('a:m');
  expect(modelId('a', 'm', 'v')).toBe('a:m (v)');
  const agent = { name: 'a', models: ['m', 'm (v)'], command: null };
  expect(modelIdsOf(agent)).toEqual(['a:m', 'a:m (v)']);
  expect(modelsInUse(agent)).toBe(true);
  expect(modelsInUse({ ...agent, models: ['m'] })).toBe(false);
});

it('reads models', () => {
  expect(readModel(' vendor/m:8b ')).toBe('vendor/m:8b');
  expect(readModel('m(v)')).toBe('m (v)');
  expect(readModel('m (x) (v)')).toBe('m (x) (v)');
  for (const text of ['', ' ', '(v)', 'a|b', 'a\nb', 'x'.repeat(201)]) {
    expect(readModel(text)).toBeNull();
  }
});

it('validates names', () => {
  for (const name of ['a', 'go-dev', 'Coordinator', 'html/css dev', '開発']) {
    expect(nameProblem(name)).toBeNull();
  }
  for (const name of ['', ' ', ' a', 'a:b', 'a|b', 'a\tb', 'x'.repeat(201)]) {
    expect(nameProblem(name)).not.toBeNull();
  }
});

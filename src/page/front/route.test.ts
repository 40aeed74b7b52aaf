import { expect, test } from 'vitest';
import { hashOf, type Route, routeOf } from './route.ts';

const ROUTES: readonly Route[] = [
  { view: 'runs' },
  { view: 'run', id: 'a1b2', at: null },
  { view: 'run', id: 'odd/id?#%', at: 12 },
  { view: 'questions' },
  { view: 'team' },
  { view: 'workflows' },
];

test('every route is read back from its own address', () => {
  for (const route of ROUTES) expect(routeOf(hashOf(route))).toEqual(route);
});

test('an unknown address shows the runs', () => {
  for (const hash of ['', '#', '#/', '#/nowhere', '#/runs', '#/runs/']) {
    expect(routeOf(hash)).toEqual({ view: 'runs' });
  }
  expect(routeOf('#/runs/%E0%A4%A?at=-1')).toEqual({ view: 'run', id: '%E0%A4%A', at: null });
});

import { expect, test } from 'vitest';
import { writeIssue } from '../../definitions/reader/issues.ts';
import { parseConfig } from './config.ts';
import { withoutPassword } from './store-config.ts';

test('every key is read', async () => {
  const { store, problems } = await parseConfig(`store: postgresql://db.example.org:5433/work
store_schema: team_a
store_lease_seconds: 10
workspace: github.com/example/project
`);
  expect(problems).toEqual([]);
  expect(store).toEqual({
    url: 'postgresql://db.example.org:5433/work',
    schema: 'team_a',
    leaseSeconds: 10,
    workspace: 'github.com/example/project',
    unreadable: [],
    held: [],
  });
});

test('an invalid value is reported without being repeated, and does not count as absent', async () => {
  const { store, problems } = await parseConfig(`stor: postgres://host/work
store: mysql://user:secret@host/work
store_schema: "Team A"
store_lease_seconds: 0
workspace: [a]
`);
  expect(problems.map(writeIssue)).toEqual([
    "unknown key 'stor'; did you mean 'store'? (line 1, column 1)",
    'store: expected an address such as postgres://db.example.org/work (line 2, column 8)',
    'store_schema: expected a name of a-z, 0-9 and _ (line 3, column 15)',
    "store_lease_seconds: expected a whole number from 1 to 3600, found the number '0' (line 4, column 22)",
    expect.stringMatching(/^workspace: expected .*line 5/),
  ]);
  expect(store.unreadable).toEqual(['store', 'store_schema', 'workspace']);
  expect(store.leaseSeconds).toBeNull();
});

test('a key without a value is absent', async () => {
  const { store, problems } = await parseConfig('store:\nworkspace:\n');
  expect(problems).toEqual([]);
  expect(store).toMatchObject({ url: null, workspace: null, unreadable: [] });
});

test.each([
  ['postgres://host/work', 'postgres://host/work'],
  ['postgres://user:secret@host:5432/work', 'postgres://user@host:5432/work'],
  [
    'postgres://user:se@cr/et@host/work?sslmode=require',
    'postgres://user@host/work?sslmode=require',
  ],
  ['postgres://host/work?password=secret&sslmode=disable', 'postgres://host/work?sslmode=disable'],
  ['postgres://one:5432,two:5433/work', 'postgres://one:5432,two:5433/work'],
])('%s is shown without its password', (url, shown) => {
  expect(withoutPassword(url)).toBe(shown);
});

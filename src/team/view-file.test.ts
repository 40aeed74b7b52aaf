// Two processes that write the view of one team, each with its own state.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { foldTeam } from '../../test/support/fold-team.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import type { Team } from '../core/team/state.ts';
import { openStateFile } from './state-file.ts';
import { openViewFile } from './view-file.ts';

const AT = '2026-01-01T00:00:00.000Z';

/** The team after this many events. */
function teamAt(events: number): Team {
  const fold = foldTeam();
  for (let seq = 1; seq <= events; seq++) {
    const data = { by: 'a', status: null, task: `task ${seq}`, note: '' };
    fold.apply(seq, { type: 'updated', at: AT, data });
  }
  return fold.team;
}

function newState() {
  const folder = join(tempFolder(), '.sgai');
  const file = join(folder, 'state.json');
  mkdirSync(folder);
  return {
    task: () => JSON.parse(readFileSync(file, 'utf8')).task as string,
    /** A process that knows the team up to `known`; the journal has it up to `latest`. */
    open(known: number, latest = known) {
      let team = teamAt(known);
      return openViewFile(openStateFile(file), {
        team: () => team,
        modelsOf: () => [],
        async refresh() {
          team = teamAt(latest);
        },
      });
    },
  };
}

test('a newer view is not replaced by an older one', async () => {
  const state = newState();
  await state.open(5).show();
  expect(state.task()).toBe('task 5');
  await state.open(3, 5).show();
  expect(state.task()).toBe('task 5');
});

test('an outdated view of an ended process is updated by the next process', async () => {
  const state = newState();
  await state.open(3).show();
  const next = state.open(5);
  const look = await next.check();
  expect(state.task()).toBe('task 5');
  expect(look.bytes?.toString()).toContain('task 5');
});

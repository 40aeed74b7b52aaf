// Sessions in one journal, and the processes that share it. Each process has its own store and
// views; they know of each other only what was committed.

import { decideStart } from '../../src/core/session/decide.ts';
import { jobStepGone } from '../../src/core/session/refusals.ts';
import type { Owner, Session } from '../../src/core/session/state.ts';
import { systemProcesses } from '../../src/environment/process/process-identity.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { type EndedIndex, openEndedIndex } from '../../src/sessions/ended-index.ts';
import { openStacks, type Stacks } from '../../src/sessions/stacks.ts';
import { openSessionStore, type SessionStore } from '../../src/sessions/store.ts';
import type { Views } from '../../src/sessions/views.ts';
import { plainJob, plainStep, toWorkflow } from '../simulation/definitions.ts';
import { marksIn } from './open-marks.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const WORKFLOW = toWorkflow(plainJob(plainStep('a'), plainStep('b')));

export interface TestProcess {
  readonly store: SessionStore;
  readonly stacks: Stacks;
  readonly index: EndedIndex;
}

export function openTestProcess(journal: Journal, views: Views): TestProcess {
  const index = openEndedIndex('/nowhere', views);
  const store = openSessionStore(journal, views, index, systemProcesses);
  return { store, stacks: openStacks(store, () => NOW, systemProcesses), index };
}

/** Views that only store the revision of each session they show. */
export function shownIn(shown: Map<string, number>, more: Partial<Views> = {}): Views {
  const revision = (id: string) => shown.get(id) ?? null;
  return {
    check() {},
    async write({ id, seq }, mayReplace) {
      if (!mayReplace(revision(id))) return false;
      shown.set(id, seq);
      return true;
    },
    revision,
    read: (id) => (shown.has(id) ? { revision: revision(id) } : null),
    place: async (name) => name,
    marks: marksIn(),
    close() {},
    ...more,
  };
}

export function aliveOwner(identity: string): Owner {
  return { identity, process: systemProcesses.own() };
}

/** One whose process ran here and has ended. */
export function goneOwner(identity: string): Owner {
  const [machine] = systemProcesses.own().split('/');
  const process = `${machine}/4194305/1`;
  if (systemProcesses.livenessOf(process) !== 'gone')
    throw new Error('no process can have this id');
  return { identity, process };
}

export async function startSession(
  { store }: TestProcess,
  id: string,
  owner: Owner,
): Promise<Session> {
  const command = {
    at: NOW,
    id,
    source: 'job' as const,
    owner,
    goal: 'g',
    context: {},
    level: 1,
    jobName: 'job',
    jobDir: '/jobs/job',
    instanceId: null,
    parentId: null,
    branch: { branch_name: 'b' },
    inUse: { workflow: WORKFLOW, hash: 'edition-1', stepGone: jobStepGone },
  } as const;
  const started = await store.commit(
    id,
    () => decideStart(command),
    async () => null,
  );
  return started.session;
}

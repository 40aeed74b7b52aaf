// Sessions from before the bench. One is really run by our server; its events are then
// appended again, through the real journal, as often as a measure needs them. Only the disk is
// not waited for: that would take minutes and change nothing about what is read afterwards.

import path from 'node:path';
import { finish, finishAll, start } from './walk.mjs';
import { startServer } from './wire.mjs';

/**
 * Runs a job's workflow: to its end, or up to the last step and back to the first
 * (`return`).
 *
 * @param {import('./stage.mjs').Stage} stage
 * @param {string} project
 * @param {{ job: string, steps: readonly string[], until: 'end' | 'return' }} plan
 * @returns {Promise<{ id: string, events: import('../src/journal/journal.ts').NewEvent[] }>}
 */
export async function runSession(stage, project, { job, steps, until }) {
  const server = startServer(stage.ours(project));
  try {
    await server.shakeHands();
    const id = await start(server, job);
    if (until === 'end') {
      await finishAll(server, steps);
    } else {
      for (const step of steps.slice(0, -1)) await finish(server, step, 'next_step');
      await server.call('go_to_step', { step_id: steps[0] });
    }
    const { openFileJournal, journalKey } = stage.parts;
    const journal = openFileJournal(journalOf(project), { key: journalKey });
    const events = [];
    for await (const { type, at, data } of journal.read(`session/${id}`, 0)) {
      events.push({ type, at, data });
    }
    return { id, events };
  } finally {
    await server.kill();
  }
}

/**
 * Appends events to a session's stream, which must be empty.
 *
 * @param {import('./stage.mjs').Stage} stage
 * @param {string} folder  the journal's
 * @param {{ id: string, events: readonly import('../src/journal/journal.ts').NewEvent[] }} session
 */
export async function writeSession({ parts }, folder, { id, events }) {
  const { openFileJournal, journalKey, realFileLayer } = parts;
  const layer = {
    ...realFileLayer,
    /** @param {Parameters<typeof realFileLayer.open>} given */
    open: async (...given) => ({ ...(await realFileLayer.open(...given)), sync: async () => {} }),
    syncFolder: async () => {},
  };
  const key = journalKey();
  const journal = openFileJournal(folder, { key: () => key, layer });
  for (const [seq, event] of events.entries()) {
    const { kind } = await journal.append(`session/${id}`, seq, event);
    if (kind !== 'appended') throw new Error(`session ${id} has another writer`);
  }
}

/** The same session under another id. */
export function renamed({ id, events }, newId) {
  return { id: newId, events: JSON.parse(JSON.stringify(events).replaceAll(id, newId)) };
}

export function journalOf(project) {
  return path.join(project, '.deepwork', 'journal');
}

// A team with a long history: its journal is written through the real journal, as in
// `past-sessions.mjs` without waiting for the disk. All messages but the last few were offered
// and received, in batches as an agent reads them.

import { journalOf } from './past-sessions.mjs';

const BATCH = 10;
const UNREAD = 5;
const BODY = 'A sentence or two about what was done, what comes next and who is to do it. '.repeat(
  2,
);

/**
 * @param {import('./stage.mjs').Stage} stage
 * @param {string} project
 * @param {number} messages
 */
export async function writeMessages({ parts }, project, messages) {
  const { openFileJournal, journalKey, realFileLayer } = parts;
  const layer = {
    ...realFileLayer,
    /** @param {Parameters<typeof realFileLayer.open>} given */
    open: async (...given) => ({ ...(await realFileLayer.open(...given)), sync: async () => {} }),
    syncFolder: async () => {},
  };
  const key = journalKey();
  const journal = openFileJournal(journalOf(project), { key: () => key, layer });
  let seq = 0;
  for (const event of history(messages)) {
    const { kind } = await journal.append('team/log', seq, { at: timeOf(seq), ...event });
    if (kind !== 'appended') throw new Error('the team has another writer');
    seq += 1;
  }
  return seq;
}

function* history(messages) {
  let seq = 0;
  const event = (type, data) => {
    seq += 1;
    return { type, data };
  };
  yield event('called', { by: 'builder' });
  for (let id = 1; id <= messages; id++) {
    const to = 'builder';
    const from = 'coordinator';
    yield event('sent', { by: from, id, from, to, inbox: to, body: `${id}: ${BODY}` });
    if (id % BATCH !== 0 || id > messages - UNREAD) continue;
    const holder = 'bench:0:0/1/1';
    yield event('offered', { by: to, reader: to, through: id, holder, takes: null });
    yield event('received', { reader: to, offer: seq });
  }
}

function timeOf(seq) {
  return new Date(Date.UTC(2026, 0, 1) + seq).toISOString();
}

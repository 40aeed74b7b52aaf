// All events of one stream, read without changing the journal; up to the damage if there is any.

import type { JournalReader } from '../journal/reader.ts';

export async function readEvents<Event>(reader: JournalReader, stream: string): Promise<Event[]> {
  let events: Event[] = [];
  await reader.readOn(stream, {
    place: null,
    restart() {
      events = [];
    },
    take(event) {
      // The journal holds what the engine wrote.
      events.push(event as unknown as Event);
    },
  });
  return events;
}

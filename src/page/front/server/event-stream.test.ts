import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openEventParser } from './event-stream.ts';

const STREAM =
  ': welcome\n\nid: 7\ndata: {"a":1}\n\n: beat\n\nevent: hint\nid: 8\ndata: one\ndata:two\n\ndata: x\r\n\r\nid: 9\n\n';

test('events are complete, with the last id, however the text was split', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 8 }), (cuts) => {
      const parse = openEventParser();
      const places = [0, ...cuts.sort((a, b) => a - b), STREAM.length];
      const events = places.slice(1).flatMap((end, i) => parse(STREAM.slice(places[i], end)));
      expect(events).toEqual([
        { id: '7', data: '{"a":1}' },
        { id: '8', data: 'one\ntwo' },
        { id: '8', data: 'x' },
      ]);
    }),
  );
});

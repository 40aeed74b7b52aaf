import { describe, expect, it } from 'vitest';
import { checkStreamName, fileOf, setAsideName, setAsideOf, streamOf } from './stream-name.ts';

describe('a stream name', () => {
  it.each(['a', 'session/ab12cd34', 'a-b_c/0/9', 'damaged', 'x'.repeat(200)])(
    'can be %s',
    (name) => {
      expect(() => checkStreamName(name)).not.toThrow();
      expect(streamOf(fileOf(name))).toBe(name);
    },
  );

  it('is shown, truncated, when it is refused', () => {
    expect(() => checkStreamName('../etc/passwd')).toThrow("Not a stream name: '../etc/passwd'");
    try {
      checkStreamName('/'.repeat(100_000));
    } catch (error) {
      expect(String(error).length).toBeLessThan(500);
    }
    expect.assertions(2);
  });

  it.each(['a.txt', '.jsonl', 'A.jsonl', '../a.jsonl', 'a.b.jsonl', 'damaged/a.jsonl'])(
    'is not found in the file name %s',
    (file) => expect(streamOf(file)).toBeNull(),
  );
});

describe('a file that was set aside', () => {
  const now = new Date('2025-01-31T23:59:59.123Z');

  it('is named after stream and time', () => {
    expect(setAsideName('damaged', 'session/ab', now, '0f1e2d3c')).toBe(
      'damaged/session.ab-20250131T235959123Z-0f1e2d3c.jsonl',
    );
  });

  it('is found by its own stream only', () => {
    const names = ['a', 'a/b', 'a_b', 'a-b', 'a/b/c', 'ab'];
    for (const stream of names) {
      const base = setAsideName('damaged', stream, now, '00000000').replace('damaged/', '');
      expect(names.filter((name) => setAsideOf(base) === name)).toEqual([stream]);
    }
  });
});

import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { sealOf } from './seal.ts';

test('a line of any length is signed with the HMAC of its stream, whichever was signed before', () => {
  const userKey = randomBytes(32);
  const streams = ['session/one', 'session/two'];
  const bytes = randomBytes(200_000);
  for (const length of [0, 1, 63, 64, 65, 1000, 65_471, 65_472, 65_473, 65_536, 199_997]) {
    for (const stream of streams) {
      const key = createHmac('sha256', userKey).update(stream).digest();
      const expected = createHmac('sha256', key).update(bytes.subarray(3, 3 + length));
      expect(sealOf(userKey, stream).sign(bytes, 3, 3 + length)).toBe(expected.digest('hex'));
    }
  }
});

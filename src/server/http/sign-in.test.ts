import { expect, test } from 'vitest';
import { openSignIn } from './sign-in.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function opened(port = 8000) {
  const time = { now: 0 };
  return { time, signIn: openSignIn({ port: () => port, now: () => time.now }) };
}

/** What a browser sends back. */
function cookieOf(header: string | null): string {
  return header?.split(';', 1)[0] ?? '';
}

test('a code is exchanged once, for a cookie that scripts and other sites cannot use', () => {
  const { signIn } = opened();
  const code = signIn.issueCode();
  const header = signIn.exchange(code);
  expect(header).toMatch(
    /^deepwork_person_8000=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
  expect(header).not.toContain(code);
  expect(signIn.exchange(code)).toBeNull();
  expect(signIn.timeLeft(['a=b', `x=y; ${cookieOf(header)}; z=`])).toBe(12 * HOUR);
});

test('an expired or invented code is refused', () => {
  const { time, signIn } = opened();
  const code = signIn.issueCode();
  for (const wrong of ['', `${code}x`, code.slice(1), code.toLowerCase()]) {
    expect(signIn.exchange(wrong), wrong).toBeNull();
  }
  time.now = 5 * MINUTE;
  expect(signIn.exchange(code)).toBeNull();
  time.now = 0;
  expect(signIn.exchange(code)).toBeNull();
});

test('a cookie expires, and is valid for its own server only', () => {
  const { time, signIn } = opened();
  const cookie = cookieOf(signIn.exchange(signIn.issueCode()));
  time.now = 12 * HOUR - 1;
  expect(signIn.timeLeft([cookie])).toBe(1);
  time.now += 1;
  expect(signIn.timeLeft([cookie])).toBeNull();
  time.now = 0;
  expect(opened().signIn.timeLeft([cookie])).toBeNull();
  expect(signIn.timeLeft([cookie.replace('8000', '8001')])).toBeNull();
  expect(signIn.timeLeft([])).toBeNull();
});

test('unused codes and cookies do not accumulate', () => {
  const { signIn } = opened();
  const first = signIn.issueCode();
  const cookie = cookieOf(signIn.exchange(signIn.issueCode()));
  for (let count = 0; count < 64; count++) signIn.exchange(signIn.issueCode());
  expect(signIn.timeLeft([cookie])).toBeNull();
  expect(signIn.exchange(first)).not.toBeNull();
  for (let count = 0; count < 64; count++) signIn.issueCode();
  const last = signIn.issueCode();
  expect(signIn.exchange(last)).not.toBeNull();
});

import { expect, test } from 'vitest';
import { addressOfHost, addressOfOrigin, isAllowed, isLocal } from './host-origin.ts';

const local = (host: string, port = 8000) => {
  const place = addressOfHost(host);
  return place !== null && isLocal(place, port);
};

test('this machine has three names, with our port', () => {
  for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LocalHost']) {
    expect(local(`${name}:8000`), name).toBe(true);
    expect(local(`${name}:8001`), name).toBe(false);
    expect(local(name), name).toBe(false);
    expect(local(name, 80), name).toBe(true);
  }
  for (const name of [
    '127.0.0.2',
    '0.0.0.0',
    '::1',
    'localhost.evil.example',
    'evil.localhost',
    '127.1',
    '',
  ]) {
    expect(local(`${name}:8000`), name).toBe(false);
  }
});

test('an invalid authority is no address', () => {
  const wrong = ['a b', 'a@b', 'a/b', 'a:', 'a:123456', 'a:x', '[::1', '', 'ä', 'a,b', 'a#', 'a?'];
  for (const host of wrong) expect(addressOfHost(host), host).toBeNull();
});

test('an origin has a scheme and nothing after its host', () => {
  expect(addressOfOrigin('http://localhost:8000')).toMatchObject({ name: 'localhost', port: 8000 });
  expect(addressOfOrigin('https://box.example')).toMatchObject({ name: 'box.example', port: 443 });
  const wrong = ['null', '', 'localhost:8000', 'file://', 'http://a/', 'http://a b', 'ftp://a'];
  for (const origin of wrong) expect(addressOfOrigin(origin), origin).toBeNull();
});

test('an allowed host without a port allows all of its ports', () => {
  const place = (host: string) => addressOfHost(host) ?? expect.fail(host);
  expect(isAllowed(place('Box.example:99'), ['box.EXAMPLE'])).toBe(true);
  expect(isAllowed(place('box.example'), ['box.example:99'])).toBe(false);
  expect(isAllowed(place('box.example:99'), ['box.example:99'])).toBe(true);
  expect(isAllowed(place('a.box.example'), ['box.example'])).toBe(false);
});

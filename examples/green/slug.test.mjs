import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from './slug.mjs';

test('words are joined by one hyphen', () => {
  assert.equal(slug('Hello  world'), 'hello-world');
});

test('punctuation is left out', () => {
  assert.equal(slug('Hello, world!'), 'hello-world');
});

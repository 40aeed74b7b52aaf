// The hostile suite attacks the places on a list, so the list must be complete: a run that uses
// everything opens and changes nothing in its project that is not on it.

import { expect, onTestFinished, test } from 'vitest';
import { asListed, unlisted } from './listed.ts';
import { PLACES } from './places.ts';
import { startRunner } from './runners.ts';
import { newSample } from './sample.ts';

test('a run opens and changes nothing in its project that is not on the list', async () => {
  const sample = newSample();
  onTestFinished(sample.remove);
  const runner = await startRunner();
  onTestFinished(runner.end);
  const begun = await runner.begin(sample.root);
  expect(begun.answers.filter(({ isError }) => isError)).toEqual([]);
  sample.write('.sgai/state.json', '{"status":"mine"}');
  const { notes } = await runner.attack();
  const all = [...begun.notes, ...notes];
  expect(
    unlisted(
      sample.root,
      all.map((note) => note.path),
      PLACES,
    ),
  ).toEqual([]);
  // And every place on the list is really used; otherwise the suite would attack unused ones.
  const used = all.map((note) => `${asListed(sample.root, note.path)}/`);
  const never = PLACES.filter((place) => !used.some((way) => way.startsWith(`${place.path}/`)));
  expect(never).toEqual([]);
});

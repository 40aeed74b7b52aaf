// `npm run demo:green`: a scripted agent changes code until a real test suite passes.

import { chapter, ending, quotes, remark, says, title } from '../screen.mjs';
import { expect, perform } from '../stage.mjs';

const HALF = `export function slug(title) {
  return title.toLowerCase().replaceAll(/ +/g, '-');
}
`;
const WHOLE = `export function slug(title) {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
}
`;

await perform(import.meta.url, async ({ call, write, workspace }) => {
  title('Until the tests pass', `A scripted agent, a real test suite, in a copy: ${workspace}`);

  chapter('Pass 1: half of it is right');
  const { begin_step: first } = await call('start_workflow', {
    ...{ goal: 'Fix the slugs', job_name: 'fix_bug', workflow_name: 'fix' },
    inputs: { bug: 'Addresses end in hyphens' },
  });
  expect(first.loop.pass === 1, 'it is the first pass', first.loop);
  expect(first.step_instructions.includes('Addresses end'), 'the input is in the text', first);
  write('slug.mjs', HALF);
  const again = await call('finished_step', { outputs: { code: 'slug.mjs' } });
  expect(again.begin_step?.step_id === 'implement', 'there is one pass more', again);
  const { loop } = again.begin_step;
  expect(loop.pass === 2 && /punctuation is left out/.test(loop.said), 'the suite spoke', loop);
  says('deepwork', `Pass ${loop.pass} of ${loop.max}. The suite said, in the end:`);
  quotes(loop.said.split('\n').slice(-8));

  chapter('Pass 2: the suite agrees');
  write('slug.mjs', WHOLE);
  const green = await call('finished_step', {
    outputs: { code: 'slug.mjs' },
    step_id: 'implement',
  });
  expect(green.begin_step?.step_id === 'describe', 'the loop is done', green);
  says('deepwork', `On to ${green.begin_step.step_id}.`);
  remark('No word of the agent ended the loop: deepwork ran the suite itself.');

  chapter('Done');
  write('change.md', 'Runs of other characters become one hyphen, none at the ends.\n');
  const done = await call('finished_step', { outputs: { 'change.md': 'change.md' } });
  expect(done.status === 'workflow_complete', 'the workflow is complete', done);
  ending('Next: put your own test command into `until`.');
});

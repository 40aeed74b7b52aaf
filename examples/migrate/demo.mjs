// `npm run demo:migrate`: a person approves a list, and each item of it is a step.

import { chapter, ending, remark, says, title } from '../screen.mjs';
import { expect, perform } from '../stage.mjs';

const ALL = [
  { name: 'cart', owner: 'Ann' },
  { name: 'search', owner: 'Bo' },
  { name: 'legacy', owner: 'no one' },
];

await perform(import.meta.url, async ({ call, write, person, workspace }) => {
  const list = (modules) =>
    write('migration/modules.json', `${JSON.stringify(modules, null, 2)}\n`);
  const plan = () => call('finished_step', { outputs: { modules: 'migration/modules.json' } });
  const wait = () => call('finished_step', { outputs: {} });
  const question = async () => {
    const answer = await wait();
    expect(answer.reason === 'waiting_for_person', 'a person is waited for', answer);
    return /q-\d+/.exec(answer.feedback)[0];
  };
  title('A list, approved by a person', `A scripted agent, a real server, in a copy: ${workspace}`);

  chapter('The agent proposes three modules, and has to wait');
  await call('start_workflow', {
    ...{ goal: 'Migrate the modules', job_name: 'migrate_modules', workflow_name: 'migrate' },
  });
  list(ALL);
  const gate = await plan();
  expect(gate.begin_step?.step_id === 'go_ahead', 'the approval comes next', gate);
  await person(await question(), '--choose', 'Reject', '--other', 'legacy goes away: leave it out');

  chapter('Rejected: back to the plan, with the words of the person');
  const back = await wait();
  expect(back.begin_step?.step_id === 'plan', 'the plan is to be done again', back);
  expect(back.feedback === 'legacy goes away: leave it out', 'the words are there', back);
  says('deepwork', back.feedback);
  list(ALL.slice(0, 2));
  await plan();
  await person(await question(), '--choose', 'Approve');
  const first = await wait();
  expect(first.begin_step?.step_id === 'migrate#1', 'the first item begins', first);
  expect(first.begin_step.concurrent_steps.length === 1, 'the second is beside it', first);

  chapter('Each item is a step of its own, in any order');
  for (const index of [2, 1]) {
    const { name } = ALL[index - 1];
    write(`migration/${name}.md`, `${name} was migrated.\n`);
    const outputs = { note: `migration/${name}.md` };
    const answer = await call('finished_step', { outputs, step_id: `migrate#${index}` });
    expect(answer.status === 'next_step', 'the item is accepted', answer);
  }
  const done = await wait();
  expect(done.status === 'workflow_complete', 'the workflow is complete', done);
  says('deepwork', Object.keys(done.all_outputs).join(', '));
  remark('The person approved these very bytes; any later change would have voided it.');
  ending('Next: look at .deepwork/jobs/migrate_modules/job.yml.');
});

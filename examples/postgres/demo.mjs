// Two servers on one database, without containers: an agent starts a run in one checkout and
// dies; another goes on with it in the second. Each exchange is checked, so this is a test as
// well: the exit code is 1 if one is not as it should be.

import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '../quickstart/demo/connection.mjs';
import { calls, chapter, ending, remark, says, title } from '../screen.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const { DEEPWORK_DATABASE_URL: database } = process.env;

if (!database) {
  process.stderr.write(
    'Name an empty database: DEEPWORK_DATABASE_URL=postgres://user:password@localhost/name\n',
  );
  process.exit(2);
}

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'deepwork-demo-')));
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

try {
  await tellStory();
} catch (error) {
  process.stderr.write(`\nThe demo did not go as it should: ${error.message}\n`);
  process.exit(1);
}

async function tellStory() {
  title(
    'Two machines, one journal',
    'Two copies of this example, each with a home of its own, as on two machines; real servers, one real database.',
  );

  chapter('On the first machine, an agent does the first step');
  const one = await checkout('one');
  const started = await ask(one, 'start_workflow', {
    goal: 'Report on this week',
    job_name: 'weekly_report',
    workflow_name: 'weekly_report',
  });
  const { session_id } = started.begin_step;
  one.write('facts.md', 'The new search is online.\n');
  await ask(one, 'finished_step', { outputs: { 'facts.md': 'facts.md' } });

  chapter('Then that machine is gone');
  await one.server.kill();
  remark('kill -9: nothing was said, nothing was written in the end.');

  chapter('On the second machine, another agent asks what is left');
  const two = await checkout('two');
  const found = await ask(two, 'get_active_workflow', { session_id });
  expect(found.begin_step?.step_id === 'write', 'the run stands at its second step', found);
  const [warning = ''] = found.warnings;
  expect(warning.includes('missing here: facts.md'), 'it names the file that is not here', found);
  says('deepwork', warning, true);
  remark('Outputs are files of each checkout. Here, a git pull would bring it.');
  two.write('facts.md', 'The new search is online.\n');

  chapter('And finishes the run');
  two.write('report.md', 'This week the new search went online.\n');
  const end = await ask(two, 'finished_step', { outputs: { 'report.md': 'report.md' } });
  expect(end.status === 'workflow_complete', 'the run is complete', end);
  await two.server.close();

  ending('Next: docs/postgres.md says how to set up a database for your own project.');
}

async function checkout(name) {
  const root = path.join(folder, name, 'project');
  const home = path.join(folder, name, 'home');
  mkdirSync(home, { recursive: true });
  cpSync(path.join(here, '.deepwork'), path.join(root, '.deepwork'), { recursive: true });
  // The workspace's name is in a file of the project, which a person would agree to once.
  const env = { HOME: home, DEEPWORK_DATABASE_URL: database, DEEPWORK_TRUST: '1' };
  const server = await connect(root, { env });
  return { server, write: (file, text) => writeFileSync(path.join(root, file), text) };
}

async function ask({ server }, tool, input) {
  calls(tool, input);
  const { refused, text, data } = await server.call(tool, input);
  expect(!refused, `${tool} is answered`, text);
  says('deepwork', data.status ?? data.begin_step?.step_id ?? 'done');
  return data;
}

function expect(holds, what, found) {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(found)}`);
}

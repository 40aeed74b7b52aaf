// A scripted agent, run by `deepwork run` as a command. Its arguments say what it does in each
// turn, the last one from there on: `crash honest@0.5` crashes first, then works and reports half
// a dollar a turn. What it was given is noted in the folder named by AGENT_NOTES.
//
//   honest    does what the prompt says, and hands it in
//   fresh     honest, with other bytes in each turn
//   waits     honest, and then waits at the entry that comes next, as it is told
//   wrong     hands in what the gate turns down
//   without   hands in nothing; missing: a file that does not exist
//   crash     ends with exit code 3
//   silent    ends at once
//   liar      says that all is done
//   says:T    says T, and leaves; results:T: as the result in its machine-readable output
//   early     does the work and leaves without handing it in
//   hang      never ends; stubborn: not even when it is told to; nested: with a child of its own
//   detaches  honest, and leaves a process in a session of its own; detached: hangs beside one
//   quota:S   is out of quota for S seconds
//   throttled gets a 429 that names no time
//   flood     prints 100 MB, then is honest
//   ask       asks a person, and leaves
//   rest      honest, and then does not end
//   commit    honest, and commits it
//   out       honest, with its files in out/; out-commit: and commits what git does not ignore
//   sh:C      honest, and then runs C in a shell
//   edits:F   writes `exit 0` into the file F, then is honest
//   plants:M  honest, and puts a .git into its folder whose config names a program that makes M
//   filters:M honest, and adds such a program to the config of the repository
//   stray     honest, and writes into the main checkout besides

const { copyFileSync, mkdirSync, readdirSync, renameSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { call, readInput } = require('./mcp-call.cjs');

const { SGAI_MCP_URL, SGAI_AGENT_IDENTITY, DEEPWORK_AGENT_TOKEN, AGENT_NOTES } = process.env;

const typed = process.argv.find((word) => word.includes('You work unattended'));
const AUTHOR = ['-c', 'user.name=Agent', '-c', 'user.email=agent@example.org'];
const prompt = readInput() || typed;
mkdirSync(AGENT_NOTES, { recursive: true });
const turn = readdirSync(AGENT_NOTES).filter((name) => name.startsWith('turn-')).length + 1;
const modes = process.argv.slice(2).filter((word) => word !== prompt);
const [mode, cost] = (modes[turn - 1] ?? modes.at(-1)).split('@');
note(`turn-${turn}.json`, {
  mode,
  prompt,
  pid: process.pid,
  identity: SGAI_AGENT_IDENTITY,
  cwd: process.cwd(),
  url: SGAI_MCP_URL,
  token: DEEPWORK_AGENT_TOKEN,
  argv: process.argv.slice(2),
  at: new Date().toISOString(),
});
act(mode);

async function act(name) {
  const [what, detail] = name.split(':');
  switch (what) {
    case 'honest':
      await handIn(doWork('# Done\n'));
      return leave(0);
    case 'fresh':
      await handIn(doWork(`# Done ${turn}\n`));
      return leave(0);
    case 'waits':
      await handIn(doWork('# Done\n'));
      for (;;) await call('finished_step', { outputs: {} });
    case 'wrong':
      await handIn(doWork('bad\n'));
      return leave(0);
    case 'without':
      await handIn({ ...doWork('# Done\n'), outputs: {} });
      return leave(0);
    case 'missing': {
      const given = doWork('# Done\n');
      const [name] = Object.keys(given.outputs);
      await handIn({ ...given, outputs: { [name]: 'nowhere.md' } });
      return leave(0);
    }
    case 'crash':
      process.stderr.write('it broke\n');
      return leave(3);
    case 'silent':
      return process.exit(0);
    case 'liar':
      process.stdout.write('All steps are done and were accepted.\n');
      return leave(0);
    case 'says':
      process.stdout.write(`${detail}\n`);
      return leave(0);
    case 'results':
      print({ type: 'result', subtype: 'success', result: detail });
      return leave(0);
    case 'early':
      doWork('# Done\n');
      return leave(0);
    case 'nested':
      startChild(false);
      return stay();
    case 'detaches':
      startChild(true);
      await handIn(doWork('# Done\n'));
      return leave(0);
    case 'detached':
      startChild(true);
      return stay();
    case 'commit':
      await handIn(doWork('# Done\n'));
      run('git', ['add', '-A']);
      run('git', [...AUTHOR, 'commit', '-qm', 'Work']);
      return leave(0);
    case 'out':
      await handIn(doWork('# Done\n', 'out/'));
      return leave(0);
    case 'out-commit':
      await handIn(doWork('# Done\n', 'out/'));
      run('git', [...AUTHOR, 'commit', '--allow-empty', '-qm', 'Work']);
      return leave(0);
    case 'sh':
      await handIn(doWork('# Done\n'));
      run('sh', ['-c', name.slice('sh:'.length)]);
      return leave(0);
    case 'edits':
      writeFileSync(path.resolve(detail), 'exit 0\n');
      await handIn(doWork('# Done\n'));
      return leave(0);
    case 'plants':
      await handIn(doWork('# Done\n'));
      plantRepository(`sh -c "touch ${detail}; cat"`);
      return leave(0);
    case 'filters':
      await handIn(doWork('# Done\n'));
      run('git', ['config', 'filter.evil.clean', `sh -c "touch ${detail}; cat"`]);
      spoilFiles();
      return leave(0);
    case 'stray':
      writeFileSync(path.resolve('../../../stray.txt'), 'in the wrong tree');
      await handIn(doWork('# Done\n'));
      return leave(0);
    case 'stubborn':
      process.on('SIGTERM', () => {});
      return stay();
    case 'hang':
      return stay();
    case 'quota': {
      const resetsAt = Math.ceil(Date.now() / 1000 + Number(detail));
      print({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } });
      return leave(1);
    }
    case 'warned': {
      const resetsAt = Math.ceil(Date.now() / 1000 + 3600);
      print({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt } });
      await handIn(doWork('# Done\n'));
      return leave(0);
    }
    case 'throttled':
      print({ type: 'result', is_error: true, api_error_status: 429 });
      return leave(1);
    case 'flood':
      await flood();
      await handIn(doWork('# Done\n'));
      return leave(0);
    case 'ask':
      await call('ask_user_question', {
        questions: [{ question: 'Which colour?', choices: ['red', 'blue'] }],
      });
      return leave(0);
    case 'rest':
      await handIn(doWork('# Done\n'));
      return stay();
    default:
      throw new Error(`There is no '${name}'`);
  }
}

/** Its output. */
function run(program, args) {
  return require('node:child_process').execFileSync(program, args, { encoding: 'utf8' });
}

/** With an index, so that git compares files, and with a filter for them. */
function plantRepository(program) {
  const index = run('git', ['rev-parse', '--git-path', 'index']);
  for (const folder of ['refs/heads', 'objects']) mkdirSync(`fake/${folder}`, { recursive: true });
  writeFileSync('fake/HEAD', 'ref: refs/heads/x\n');
  copyFileSync(index.trim(), 'fake/index');
  const core = '[core]\n\trepositoryformatversion = 0\n\tworktree = ..\n';
  const quoted = program.replaceAll('"', '\\"');
  writeFileSync('fake/config', `${core}[filter "evil"]\n\tclean = "${quoted}"\n`);
  spoilFiles();
  writeFileSync('.git', 'gitdir: fake\n');
}

function spoilFiles() {
  writeFileSync('.gitattributes', '* filter=evil\n');
  writeFileSync('readme.txt', 'HI\n');
}

/**
 * The arguments of the call that the prompt asks for, with every file written. Instructions may
 * name the text: `Write exactly: …`.
 */
function doWork(usual, folder = '') {
  const text = /^Write exactly: (.*)$/m.exec(prompt)?.[1] ?? usual;
  const [, json] = /Next call, when the step is done: finished_step (\{.*\})/.exec(prompt) ?? [];
  if (json === undefined) throw new Error(`The prompt names no call:\n${prompt}`);
  const given = JSON.parse(json);
  for (const [name, value] of Object.entries(given.outputs)) {
    const file = `${folder}${name.replaceAll('/', '_').replace(/\.md$/, '')}.md`;
    mkdirSync(path.resolve(folder), { recursive: true });
    writeFileSync(path.resolve(file), text);
    given.outputs[name] = Array.isArray(value) ? [file] : file;
  }
  for (const [name, type] of Object.entries(given.context ?? {})) {
    given.context[name] = { '<boolean>': true, '<number>': 1 }[type] ?? 'Done';
  }
  return given;
}

async function handIn(given) {
  const answer = await call('finished_step', given);
  note(`answer-${turn}.json`, answer);
}

/** `detached`: in a session of its own, so that no signal to the agent's group reaches it. */
function startChild(detached) {
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached,
    stdio: 'ignore',
  });
  child.unref();
  note(`child-${turn}.json`, { pid: child.pid });
}

async function flood() {
  const line = `${'x'.repeat(1023)}\n`.repeat(1024);
  for (let megabytes = 0; megabytes < 100; megabytes++) {
    if (!process.stdout.write(megabytes % 2 === 0 ? line : line.replaceAll('\n', 'y'))) {
      await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  }
  process.stdout.write('\n');
}

function leave(code) {
  if (cost !== undefined) print({ type: 'result', total_cost_usd: Number(cost) });
  process.exitCode = code;
}

function stay() {
  setInterval(() => {}, 1000);
}

function print(object) {
  process.stdout.write(`${JSON.stringify(object)}\n`);
}

function note(name, value) {
  // In one step, because tests read while it is written.
  const whole = path.join(AGENT_NOTES, `new-${name}`);
  writeFileSync(whole, JSON.stringify(value));
  renameSync(whole, path.join(AGENT_NOTES, name));
}

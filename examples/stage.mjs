// What the smaller demos share: a copy of their workspace, a scripted agent on a real server, and a
// person at a terminal. Each answer is checked, so a demo is a test as well.

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from './quickstart/demo/connection.mjs';
import { calls, says } from './screen.mjs';

const DEEPWORK = fileURLToPath(new URL('../dist/main.cjs', import.meta.url));

/** Tells the story in a copy of the folder of `demo`; the exit code is 1 if it goes wrong. */
export async function perform(demo, tellStory) {
  const example = path.dirname(fileURLToPath(demo));
  const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'deepwork-demo-')));
  cpSync(example, workspace, {
    recursive: true,
    filter: (source) => !['demo.mjs', '.deepwork/tmp'].includes(path.relative(example, source)),
  });
  let server = null;
  process.on('exit', () => {
    try {
      if (server !== null) process.kill(server.pid, 'SIGKILL');
    } catch {
      // It has already exited.
    }
    rmSync(workspace, { recursive: true, force: true, maxRetries: 3 });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
  process.stdout.on('error', () => process.exit(1));
  try {
    // The person who starts this server trusts the commands of its jobs.
    server = await connect(workspace, { args: ['--trust'] });
    await tellStory(stage(workspace, server));
    await server.close();
  } catch (error) {
    process.stderr.write(`\nThe demo did not go as it should: ${error.message}\n`);
    process.exit(1);
  }
}

function stage(workspace, server) {
  return {
    workspace,
    /** A call that has to be accepted: its answer. */
    async call(tool, input) {
      calls(tool, input);
      const answer = await server.call(tool, input);
      expect(!answer.refused, `${tool} is accepted`, answer.text);
      return answer.data;
    },
    write(file, text) {
      const target = path.join(workspace, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, text);
      says('agent', `writes ${file}`, true);
    },
    /** A person answers a question of the ledger. */
    async person(question, ...how) {
      says('person', `deepwork answer ${question} ${how.map(quoted).join(' ')}`);
      await run(workspace, ['answer', question, ...how, '--by', 'Ada']);
    },
  };
}

/** As a shell needs it. */
function quoted(word) {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function expect(holds, what, seen) {
  if (holds) return;
  const shown = typeof seen === 'string' ? seen : JSON.stringify(seen, null, 2);
  throw new Error(`expected that ${what}. Seen:\n${String(shown).slice(0, 3000)}`);
}

function run(cwd, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [DEEPWORK, ...args], { cwd, stdio: 'pipe' });
    let log = '';
    child.stdout.on('data', (chunk) => says('deepwork', String(chunk).trimEnd()));
    child.stderr.on('data', (chunk) => {
      log += chunk;
    });
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${args[0]} ended with ${code}\n\n${log}`));
    });
  });
}

// deepwork trust: shows the commands that a project's jobs would run, and asks.

import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { loadEngine } from '../load-engine.ts';
import { bundledJobs, projectAt, readOptions, UsageError } from './command-line.ts';
import { TRUST_HELP } from './help.ts';

export async function trust(argv: readonly string[]): Promise<number> {
  const { values } = readOptions('trust', {
    args: [...argv],
    options: {
      path: { type: 'string', default: '.' },
      yes: { type: 'boolean', short: 'y' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(TRUST_HELP);
    return 0;
  }
  const { openWorkspace, checkList } = loadEngine();
  const projectRoot = projectAt(values.path);
  const workspace = openWorkspace({ projectRoot, standardJobsDir: bundledJobs() });
  const commands = await checkList(workspace);
  if (commands.length === 0) {
    process.stdout.write('No job of this project has checks; there is nothing to trust.\n');
    return 0;
  }
  process.stdout.write(`These commands would run in ${projectRoot}, with your rights:\n\n`);
  for (const { job, step, name, run } of commands) {
    const where = `${path.relative(projectRoot, job) || job}, step ${step}, check ${name}`;
    process.stdout.write(`  ${styleText('bold', printable(run))}\n    ${printable(where)}\n`);
  }
  process.stdout.write('\n');
  if (await workspace.trust.isTrusted(commands)) {
    process.stdout.write('They are trusted already.\n');
    return 0;
  }
  if (!values.yes && !(await agrees())) {
    process.stdout.write('Nothing was changed.\n');
    return 1;
  }
  await workspace.trust.grant(commands);
  process.stdout.write('Trusted, until one of them changes.\n');
  return 0;
}

async function agrees(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('there is nobody to ask here. Use: --yes');
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test(
      (await prompt.question('Run them when a step asks for it? [y/N] ')).trim(),
    );
  } finally {
    prompt.close();
  }
}

/** What is shown is what runs: nothing in it may move the cursor or hide text. */
function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

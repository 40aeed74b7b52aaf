// deepwork trust: shows the commands that a project's jobs would run, and asks.

import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { loadEngine } from '../load-engine.ts';
import { bundled, projectAt, readOptions, UsageError } from './command-line.ts';
import { TRUST_HELP } from './help.ts';
import { AGENTS_CANNOT, turnsAgentAway } from './only-people.ts';
import { printableLine } from './printable.ts';

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
  if (turnsAgentAway('trust commands')) return AGENTS_CANNOT;
  const { openWorkspace, commandList } = loadEngine();
  const projectRoot = projectAt(values.path);
  const workspace = openWorkspace({ projectRoot, ...bundled() });
  const commands = await commandList(workspace);
  if (commands.length === 0) {
    process.stdout.write('This project names no commands; there is nothing to trust.\n');
    return 0;
  }
  process.stdout.write(
    `Commands that this project names; they run in ${projectRoot}, with your rights:\n\n`,
  );
  for (const { file, name, run } of commands) {
    const where = `${path.relative(projectRoot, file) || file}, ${name}`;
    process.stdout.write(
      `  ${styleText('bold', printableLine(run))}\n    ${printableLine(where)}\n`,
    );
  }
  process.stdout.write('\n');
  if ((await workspace.trust.stateOf(commands)) === 'trusted') {
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
  if (!process.stdin.isTTY)
    throw new UsageError('nobody can be asked here. Run it in a terminal, or agree with --yes');
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test(
      (await prompt.question('Run them when a step asks for it? [y/N] ')).trim(),
    );
  } finally {
    prompt.close();
  }
}

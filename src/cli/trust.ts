// deepwork trust: shows the commands a project would run and the settings that lower
// protection, with the changes since a person agreed, and asks.

import path from 'node:path';
import { loadBundle } from '../bundles/load-bundle.ts';
import type { ShownCommand, TrustReport } from '../engine/trust/trust-report.ts';
import { screenOf } from './board/screen.ts';
import { readOptions, UsageError } from './command-line.ts';
import { TRUST_HELP } from './help.ts';
import type { Io } from './io.ts';
import { projectAt, projectOptions, requireProjectOrTeam } from './project.ts';
import { askYesNo } from './terminal/ask.ts';
import { AGENTS_CANNOT, refusesAgent } from './terminal/only-people.ts';
import { printableLine } from './terminal/printable.ts';

export async function trust(argv: readonly string[], io: Io): Promise<number> {
  const values = readOptions(io, 'trust', argv, TRUST_HELP);
  if (values === null) return 0;
  if (values.revoke && values.yes) throw new UsageError('use --revoke or --yes, not both');
  if (refusesAgent(io, 'trust commands')) return AGENTS_CANNOT;
  const { openWorkspace, trustReport } = loadBundle('engine');
  const projectRoot = projectAt(io, values.path);
  // Trust given for one run only is not shown here.
  const env = { ...io.env, DEEPWORK_TRUST: '' };
  const workspace = openWorkspace({ ...projectOptions(io, projectRoot), env });
  if (values.revoke) {
    const revoked = await workspace.trust.revoke();
    if (!revoked) requireProjectOrTeam(io, values.path);
    io.stdout.write(
      revoked
        ? 'Revoked. No command of this project runs until you agree again.\n'
        : 'This project was not trusted.\n',
    );
    return 0;
  }
  const report = await trustReport(workspace);
  if (report.isEmpty) {
    requireProjectOrTeam(io, values.path);
    io.stdout.write('This project names no commands; there is nothing to trust.\n');
    return 0;
  }
  io.stdout.write(inWords(io, report, projectRoot));
  if (report.isTrusted) {
    io.stdout.write('All of this is trusted already.\n');
    return 0;
  }
  if (!values.yes && !(await isAgreed(io))) {
    io.stdout.write('Nothing was changed.\n');
    return 1;
  }
  await report.grant();
  io.stdout.write('Trusted, until one of them changes.\n');
  return 0;
}

function inWords(io: Io, report: TrustReport, root: string): string {
  const bold = (text: string) => screenOf(io).paint('bold', printableLine(text));
  const { commands, removed, settings } = report;
  const where = (file: string, name: string) =>
    printableLine(`${path.relative(root, file) || file}, ${name}`);
  const lines: string[] = [];
  if (report.replaced) {
    lines.push(
      'This folder is not the one that was trusted at its path: it was moved here, or',
      'another repository is in its place. You are asked about everything again.',
      '',
    );
  }
  if (commands.length > 0) {
    lines.push(
      `Commands that this project names; they run in ${printableLine(root)}, with your rights:`,
      '',
    );
    for (const each of commands) {
      const { file, name, run } = each.command;
      lines.push(`  ${bold(run)}`, `    ${where(file, name)}${mark(each.state)}`);
      if (each.was !== null) lines.push(`    was: ${printableLine(each.was)}`);
      if (each.isMoved)
        lines.push('    its step has a different condition, time limit or workflow');
      lines.push(...runsOf(each));
    }
    lines.push('');
  }
  if (removed.length > 0) {
    lines.push(
      'You trusted these, and the project no longer names them. A check keeps running, and a\nreviewer keeps reviewing, until you agree to drop it:',
      '',
    );
    for (const { file, name, run } of removed) {
      lines.push(`  ${bold(run)}`, `    ${where(file, name)} (removed)`);
    }
    lines.push('');
  }
  if (settings.length > 0) {
    lines.push('Settings in .deepwork/config.yml that affect safety:', '');
    for (const { key, was, now, waits, first } of settings) {
      const change = was === null ? now : `${was} → ${now}`;
      lines.push(`  ${key}: ${printableLine(change)} (${waits ?? first ?? 'in force'})`);
    }
    lines.push('');
  }
  return `${lines.join('\n')}\n`;
}

function runsOf({ runs }: ShownCommand): string[] {
  if (runs === null)
    return ['    runs too many or too large files to compare: it can only run with --trust'];
  return runs.map(({ path: file, change }) => {
    return `    runs ${printableLine(file)}${change === null ? '' : ` (${change})`}`;
  });
}

function mark(state: ShownCommand['state']): string {
  return state === 'trusted' ? '' : ` (${state})`;
}

async function isAgreed(io: Io): Promise<boolean> {
  if (io.stdin.isTTY) return askYesNo(io, 'Do you agree to this?');
  throw new UsageError('there is no terminal to ask on. Run it in a terminal, or agree with --yes');
}

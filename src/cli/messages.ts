// deepwork messages: lists the messages between agents and deletes old ones.

import { loadBundle } from '../bundles/load-bundle.ts';
import { COORDINATOR } from '../core/team/caller.ts';
import { readAt } from '../core/team/inbox.ts';
import { screenOf } from './board/screen.ts';
import { dayOf, timeOfDay } from './board/times.ts';
import { readCommandLine, UsageError } from './command-line.ts';
import { MESSAGES_HELP } from './help.ts';
import type { Io } from './io.ts';
import { projectOptions, requireProjectOrTeam } from './project.ts';
import { AGENTS_CANNOT, refusesAgent } from './terminal/only-people.ts';
import { printable } from './terminal/printable.ts';

const MAX_SUBJECT = 60;

export async function messages(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'messages', argv, MESSAGES_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  const [what = 'list', ...more] = positionals;
  if (more.length > 0 || (what !== 'list' && what !== 'prune')) {
    throw new UsageError(`'${positionals.join(' ')}' is not supported. Use: list or prune`);
  }
  if (what === 'list') {
    if (values.through !== undefined || values.unread) {
      throw new UsageError('--through and --unread are for: deepwork messages prune');
    }
    return list(io, requireProjectOrTeam(io, values.path));
  }
  if (refusesAgent(io, 'drop messages')) return AGENTS_CANNOT;
  const through = readId(values.through);
  return prune(io, requireProjectOrTeam(io, values.path), through, values.unread ?? false);
}

async function list(io: Io, projectRoot: string): Promise<number> {
  const { team } = loadBundle('engine').openWorkspace(projectOptions(io, projectRoot));
  const all = await team.mail.all({ name: COORDINATOR, model: null, variant: null });
  const { paint } = screenOf(io);
  if (all.length === 0) io.stdout.write('No messages.\n');
  for (const message of all) {
    const read = readAt(message, team.modelsOf) === null ? 'pending' : 'read';
    const subject = printable(message.body.split(/\r?\n/, 1)[0] ?? '').slice(0, MAX_SUBJECT);
    const route = printable(`${message.from} → ${message.to}`);
    const id = paint('bold', String(message.id));
    const sent = `${dayOf(message.createdAt)} ${timeOfDay(message.createdAt)}`;
    io.stdout.write(`${id}  ${sent}  ${read}  ${route}  ${subject}\n`);
  }
  return 0;
}

async function prune(
  io: Io,
  projectRoot: string,
  through: number,
  unread: boolean,
): Promise<number> {
  const { team } = loadBundle('engine').openWorkspace(projectOptions(io, projectRoot));
  const dropped = await team.mail.prune(through, unread);
  const kept = unread ? '' : ' Unread messages are kept; --unread drops them, too.';
  io.stdout.write(`Dropped ${dropped} message${dropped === 1 ? '' : 's'}.${kept}\n`);
  return 0;
}

function readId(given: string | undefined): number {
  if (given === undefined) throw new UsageError('prune needs --through ID');
  const id = Number(given);
  if (!/^\d+$/.test(given) || !Number.isSafeInteger(id) || id < 1) {
    throw new UsageError(`--through ${given} is not the id of a message`);
  }
  return id;
}

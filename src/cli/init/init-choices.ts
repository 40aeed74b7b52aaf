// What init sets up: chosen on the command line or, at a terminal, by asking the person.

import type { Init } from '../../bundles/load-bundle.ts';
import { type Refused, refusedWith } from '../../core/refusal.ts';
import { homeOf } from '../../environment/home.ts';
import type { Client } from '../../init/clients.ts';
import type { FoundClient } from '../../init/find-clients.ts';
import type { ProjectFile, ProjectFiles } from '../../init/project-files.ts';
import type { TemplateName } from '../../init/templates.ts';
import { UsageError } from '../command-line.ts';
import type { Io } from '../io.ts';
import { ask, askYesNo } from '../terminal/ask.ts';

/** Stop asking the same question after this many invalid answers. */
const MAX_TRIES = 3;

export interface Choices {
  readonly clients: readonly FoundClient[];
  /** They were given on the command line. */
  readonly areNamed: boolean;
  /** No client is installed or used here. */
  readonly noneFound: boolean;
  readonly template: TemplateName | null;
  /** Claude Code is to review what agents hand in. */
  readonly claudeReviews: boolean;
}

export interface Given {
  readonly clients: string | undefined;
  readonly template: string | undefined;
  /** Whether a person can be asked. */
  readonly asks: boolean;
}

export async function choose(
  io: Io,
  init: Init,
  files: ProjectFiles,
  given: Given,
): Promise<Choices> {
  const template = readTemplate(init, given.template);
  const named = given.clients === undefined ? null : readClients(init, given.clients);
  const found = init.findClients(files, homeOf(io.env), io.env);
  const clients = named ?? withoutPlugin(io, found);
  const isOpen = template === undefined && init.jobNames(files).length === 0;
  // Settings that are there stay as they are.
  const offersReviewer =
    given.asks && !files.exists(init.CONFIG_PATH) && init.isClaudeInstalled(files, io.env);
  return {
    areNamed: named !== null,
    noneFound: found.length === 0,
    clients: named === null && given.asks ? await askClients(io, init, clients) : clients,
    template: isOpen ? (given.asks ? await askTemplate(io, init) : 'blank') : (template ?? null),
    claudeReviews: offersReviewer
      ? await askYesNo(io, 'Let claude review the work of agents? It costs what claude costs.')
      : isText(files.read(init.CONFIG_PATH), init.configText(true)),
  };
}

/** So that a second init leaves it as it was chosen. */
function isText(file: ProjectFile, text: string): boolean {
  return file.kind === 'text' && file.text === text;
}

/**
 * Skips clients that have deepwork as a plugin, because its entries would be there twice. Others
 * who use the project may not have the plugin, so the output says how to write them anyway.
 */
function withoutPlugin(io: Io, found: readonly FoundClient[]): readonly FoundClient[] {
  for (const { client, plugin } of found) {
    if (plugin === null) continue;
    io.stdout.write(
      `${client.title} has deepwork as a plugin already (${plugin}), so nothing is written for it.\n  For others who work on this project: deepwork init --clients ${client.id}\n\n`,
    );
  }
  return found.filter(({ plugin }) => plugin === null);
}

/** Undefined: not given. */
function readTemplate(init: Init, given: string | undefined): TemplateName | null | undefined {
  if (given === undefined || given === 'none') return given === undefined ? undefined : null;
  const found = init.TEMPLATES.find((name) => name === given);
  if (found !== undefined) return found;
  throw new UsageError(
    `--template ${given} does not exist. Use one of: ${init.TEMPLATES.join(', ')}, none`,
  );
}

function readClients(init: Init, given: string): readonly FoundClient[] {
  const clients = clientsIn(init, given);
  if (typeof clients !== 'string') return clients;
  throw new UsageError(
    `--clients ${given}: there is no client '${clients}'. Use some of: ${init.CLIENT_IDS.join(',')}; or none`,
  );
}

/** A string is the first name that no client has. */
function clientsIn(init: Init, given: string): readonly FoundClient[] | string {
  const names = given.split(/[\s,]+/).filter((name) => name !== '');
  if (names.length === 0) return given;
  if (names.length === 1 && names[0] === 'none') return [];
  const clients: Client[] = [];
  for (const name of names) {
    const client = init.CLIENTS.find(({ id }) => id === name.toLowerCase());
    if (client === undefined) return name;
    if (!clients.includes(client)) clients.push(client);
  }
  return clients.map((client) => ({ client, because: 'as you chose', plugin: null }));
}

async function askClients(
  io: Io,
  init: Init,
  found: readonly FoundClient[],
): Promise<readonly FoundClient[]> {
  const seen = found.map(({ client, because }) => `  ${client.id}: ${client.title}, ${because}`);
  io.stdout.write(
    found.length > 0 ? `Clients found:\n${seen.join('\n')}\n` : 'No client was found.\n',
  );
  const preset = found.map(({ client }) => client.id).join(',') || 'none';
  for (let tries = 1; ; tries++) {
    const answer = await ask(
      io,
      `Which clients? (${init.CLIENT_IDS.join(',')}; none) [${preset}] `,
    );
    if (answer === '') return found;
    if (answer === null) throw cancelled();
    const clients = clientsIn(init, answer);
    if (typeof clients !== 'string') return clients;
    if (tries === MAX_TRIES) throw new UsageError(`there is no client '${clients}'`);
    io.stdout.write(`There is no client '${clients}'.\n`);
  }
}

/** The terminal was closed, or Ctrl-C or Ctrl-D typed, instead of an answer. */
function cancelled(): Refused {
  return refusedWith(
    'cancelled',
    'Nothing was written, because you gave no answer',
    'run `deepwork init` again, or give --clients and --template.',
  );
}

async function askTemplate(io: Io, init: Init): Promise<TemplateName | null> {
  for (let tries = 1; ; tries++) {
    const answer = await ask(io, `First job? (${init.TEMPLATES.join(', ')}; none) [blank] `);
    if (answer === '') return 'blank';
    if (answer === null) throw cancelled();
    if (answer === 'none') return null;
    const found = init.TEMPLATES.find((name) => name === answer);
    if (found !== undefined) return found;
    if (tries === MAX_TRIES) throw new UsageError(`there is no template '${answer}'`);
    io.stdout.write(`There is no template '${answer}'.\n`);
  }
}

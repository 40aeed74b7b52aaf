// deepwork init: sets a project up for the clients that a person has, after showing what that
// changes; --undo removes it again. Agents may run it: it writes entries that start this program,
// and trusts nothing.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Init, loadBundle } from '../../bundles/load-bundle.ts';
import { refusedWith } from '../../core/refusal.ts';
import { homeOf } from '../../environment/home.ts';
import { realPathOf } from '../../files/real-path.ts';
import type { Plan } from '../../init/plan.ts';
import type { ProjectFiles } from '../../init/project-files.ts';
import type { InitRecord } from '../../init/record.ts';
import type { Wanted } from '../../init/wanted.ts';
import { screenOf } from '../board/screen.ts';
import { readOptions, shipped, UsageError } from '../command-line.ts';
import { INIT_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { entryExists, projectAt } from '../project.ts';
import { askYesNo } from '../terminal/ask.ts';
import { printableLine } from '../terminal/printable.ts';
import { type Choices, choose } from './init-choices.ts';
import { CONNECT, nextSteps, showNotes, showPlan, warn } from './init-show.ts';

export async function init(argv: readonly string[], io: Io): Promise<number> {
  const values = readOptions(io, 'init', argv, INIT_HELP);
  if (values === null) return 0;
  const { clients, template, undo = false } = values;
  if (undo && (clients !== undefined || template !== undefined || values['no-hooks'])) {
    throw new UsageError(
      '--undo removes everything; it can be used only with --path, --yes and --dry-run',
    );
  }
  const root = projectAt(io, values.path);
  refuseHome(io, root);
  const isDry = values['dry-run'] ?? false;
  const call: InitCall = {
    io,
    init: loadBundle('init'),
    files: loadBundle('init').openProjectFiles(root),
    isDry,
    isAgreed: values.yes ?? false,
    asks: !isDry && !values.yes && Boolean(io.stdin.isTTY && io.stdout.isTTY),
  };
  const record = readRecord(call);
  io.stdout.write(`${printableLine(call.files.root)}\n\n`);
  if (undo) return undoSetup(call, record);
  const given = { clients, template, asks: call.asks };
  const choices = await choose(io, call.init, call.files, given);
  return setUp(call, record, choices, !values['no-hooks']);
}

interface InitCall {
  readonly io: Io;
  readonly init: Init;
  readonly files: ProjectFiles;
  readonly isDry: boolean;
  readonly isAgreed: boolean;
  readonly asks: boolean;
}

/** Client settings in the home directory apply to every project. */
function refuseHome({ env }: Io, root: string): void {
  const home = homeOf(env);
  if (home === '' || realPathOf(root) !== realPathOf(home)) return;
  throw new UsageError(
    'this is your home directory, whose client settings apply to every project. Run it in a project, or give one: --path DIR',
  );
}

function readRecord({ init, files }: InitCall): InitRecord {
  const record = init.recordIn(files);
  if (record !== 'broken') return record;
  throw refusedWith(
    'record_broken',
    `${init.RECORD_PATH}, which records what init added, cannot be used`,
    `restore it from git; or delete it, and remove by hand what ${shipped('docs/clients.md')} lists.`,
  );
}

async function setUp(
  call: InitCall,
  record: InitRecord,
  choices: Choices,
  hooks: boolean,
): Promise<number> {
  const { io, init, files } = call;
  const program = init.ownProgram(io.program, files.root, io.env);
  const job = templateOf(call, record, choices);
  const request = {
    words: program.words,
    hooks,
    exists: (file: string) => files.exists(file),
    opencodePlugin: readFileSync(shipped('plugins/opencode/deepwork.js'), 'utf8'),
  };
  const wanted: Wanted[] = [
    {
      kind: 'whole',
      path: init.CONFIG_PATH,
      group: 'deepwork',
      text: init.configText(choices.claudeReviews),
    },
    ...(job?.files ?? []),
    ...choices.clients.flatMap(({ client }) => client.files(request)),
  ];
  const plan = init.planInit(files, wanted, record);
  const { paint } = screenOf(io);
  const isLeft = plan.notes.some(({ kind }) => kind === 'left');
  const isNeeded = choices.clients.length > 0 && program.warning !== null;
  if (isNeeded) io.stdout.write(`${warn(paint, program.warning ?? '')}\n`);
  io.stdout.write(subfolderNote(files.root));
  if (plan.changes.length === 0) {
    const lacksClient = choices.clients.length === 0 && choices.noneFound && !choices.areNamed;
    const rest = isLeft
      ? 'Nothing else has to be changed.'
      : `Everything ${lacksClient ? 'else ' : ''}is in place; nothing to change.`;
    const client = lacksClient
      ? `No client was found, so none is connected. To connect one: ${CONNECT}\n`
      : '';
    io.stdout.write(`${showNotes(paint, plan.notes)}${client}${rest}\n`);
    return isLeft && !call.isDry ? 1 : 0;
  }
  const written = await confirmAndWrite(call, plan, 'Write');
  if (written === null) return call.isDry ? 0 : 1;
  const isLeftAlone = (file: string) =>
    plan.notes.some((note) => note.kind === 'left' && note.path === file);
  const isNew = job?.files.some((file) => has(plan, file.path)) ?? false;
  io.stdout.write(
    `Written. \`deepwork init --undo\` removes it again.\n\n${nextSteps(paint, {
      // The first file of a client names the server, without which it is not set up.
      clients: choices.clients
        .map(({ client }) => client)
        .filter((client) =>
          client
            .files(request)
            .slice(0, 1)
            .every(({ path: file }) => !isLeftAlone(file)),
        ),
      lacksClient: choices.clients.length === 0 && !choices.areNamed,
      template: isNew ? choices.template : null,
      jobs: init.jobNames(files),
      testCommandIn: isNew && job?.needsTestCommand ? `${job.folder}/job.yml` : null,
      hasCheck: isNew && (job?.hasCheck ?? false),
      claudeReviews: choices.claudeReviews,
    })}`,
  );
  return isLeft ? 1 : 0;
}

function has(plan: Plan, file: string): boolean {
  return plan.changes.some((change) => change.path === file);
}

/** Null if no first job is wanted, or another job has its name. */
function templateOf({ io, init, files }: InitCall, record: InitRecord, { template }: Choices) {
  if (template === null) return null;
  const folder = `${init.JOBS_PATH}/${template}`;
  const isOurs = Object.keys(record.files).some((file) => file.startsWith(`${folder}/`));
  if (files.exists(folder) && !isOurs) {
    io.stdout.write(`Note: there is a job ${template} already; it stays as it is.\n`);
    return null;
  }
  return { folder, ...init.templateFiles(shipped('templates'), template, files) };
}

/** A client started at the repository's root does not read the settings of its subfolders. */
function subfolderNote(root: string): string {
  let above = root;
  while (!entryExists(path.join(above, '.git'))) {
    if (above === path.dirname(above)) return '';
    above = path.dirname(above);
  }
  if (above === root) return '';
  return `Note: this is a folder of the repository ${printableLine(above)}. Start your client in it; or set up the whole repository: deepwork init --path ${printableLine(above)}\n\n`;
}

async function undoSetup(call: InitCall, record: InitRecord): Promise<number> {
  const { io, init, files } = call;
  if (!files.exists(init.RECORD_PATH)) {
    io.stdout.write(
      `There is nothing to undo: without ${init.RECORD_PATH}, init has written nothing here.\n`,
    );
    return 0;
  }
  const plan = init.planUndo(files, record);
  const written = await confirmAndWrite(call, plan, 'Remove');
  if (written === null) return call.isDry ? 0 : 1;
  const hadClients = Object.keys(record.files).some((file) => !file.startsWith('.deepwork/'));
  const kept = written.keptFolders.map(printableLine).join(', ');
  io.stdout.write(
    `Removed.${kept === '' ? '' : ` Not empty, so kept: ${kept}.`}\n${hadClients ? 'Restart your clients.\n' : ''}`,
  );
  return 0;
}

/** Null if nothing was written. */
async function confirmAndWrite(call: InitCall, plan: Plan, act: 'Write' | 'Remove') {
  const { io, init, files } = call;
  const { paint } = screenOf(io);
  const nothing = `Nothing was ${act === 'Write' ? 'written' : 'removed'}`;
  io.stdout.write(showPlan(paint, init, plan, call.isDry));
  const notes = showNotes(paint, plan.notes);
  if (notes !== '') io.stdout.write(`${notes}\n`);
  if (call.isDry) {
    io.stdout.write(`${nothing} (--dry-run).\n`);
    return null;
  }
  if (!call.isAgreed && !call.asks) {
    io.stdout.write(`${nothing}: no one can be asked here. Agree with --yes.\n`);
    return null;
  }
  if (!call.isAgreed && !(await askYesNo(io, `${act} this?`))) {
    io.stdout.write(`${nothing}.\n`);
    return null;
  }
  return init.writePlan(files, plan);
}

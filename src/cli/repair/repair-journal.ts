// deepwork repair --journal: lists quarantined journal files and takes over those that are
// really the person's own. The whole journal is verified first, because in a copied project
// no call may have found the untrusted files yet. Agents are refused by the caller: otherwise
// a journal that came with a repository could have an agent approve it.

import { loadBundle } from '../../bundles/load-bundle.ts';
import { SESSION_STREAMS } from '../../core/session/streams.ts';
import { counted } from '../../core/wording.ts';
import type { Quarantined, Reclaimed } from '../../engine/quarantine.ts';
import { withLocalTimes } from '../board/times.ts';
import { UsageError } from '../command-line.ts';
import type { Io } from '../io.ts';
import { projectOptions } from '../project.ts';
import { printable } from '../terminal/printable.ts';

/** Lists them if no names are given. */
export async function repairJournal(
  io: Io,
  projectRoot: string,
  names: readonly string[],
  all: boolean,
): Promise<number> {
  const { openWorkspace, openQuarantine, readAllStreams } = loadBundle('engine');
  const unreadable = await readAllStreams(openWorkspace(projectOptions(io, projectRoot)).journal);
  for (const text of unreadable) io.stderr.write(`deepwork: ${printable(text)}\n`);
  const quarantine = openQuarantine(projectRoot, io.env);
  const found = await quarantine.list();
  if (names.length === 0 && (!all || found.length === 0)) return list(io, found);
  const chosen = all ? found : names.map((name) => choose(found, name));
  let code = 0;
  for (const item of chosen) {
    const { done, line } = outcome(item, await quarantine.reclaim(item));
    (done ? io.stdout : io.stderr).write(`${done ? '' : 'deepwork: '}${line}\n`);
    if (!done) code = 1;
  }
  return code;
}

function list(io: Io, found: readonly Quarantined[]): number {
  if (found.length === 0) {
    io.stdout.write('Nothing is quarantined.\n');
    return 0;
  }
  const now = io.clock();
  const lines = found.map(({ name, stream, events, from, to, damage }) => {
    const when = from === null ? '' : withLocalTimes(`, ${from} to ${to}`, now);
    return `${stream}  ${counted(events, 'event')}${when}${damage === null ? '' : `; cannot be taken over, ${damage}`}\n  ${name}`;
  });
  io.stdout.write(
    `Not written by you here, so not trusted (in .deepwork/journal):\n\n${printable(lines.join('\n'))}\n\n` +
      'If one of them is yours (from another machine, a backup, a lost home), read it, then:\n' +
      '  deepwork repair --journal <name>…    or --all\n' +
      'From then on everything in it counts as yours: answers to questions, finished steps.\n',
  );
  return 0;
}

/** By stream or by file; if a stream has several files, the file has to be named. */
function choose(found: readonly Quarantined[], name: string): Quarantined {
  const fits = found.filter(
    (each) =>
      each.stream === name || each.stream === SESSION_STREAMS + name || each.name.endsWith(name),
  );
  const [only, another] = fits;
  if (only === undefined) {
    throw new UsageError(`'${name}' is not quarantined. See: deepwork repair --journal`);
  }
  if (another !== undefined) {
    throw new UsageError(`'${name}' is quarantined more than once: name one of the files`);
  }
  return only;
}

function outcome(
  { name, stream }: Quarantined,
  result: Reclaimed | { readonly kind: 'tracked'; readonly file: string },
): { done: boolean; line: string } {
  switch (result.kind) {
    case 'taken over':
      return { done: true, line: `Taken over: ${stream} (${counted(result.events, 'event')})` };
    case 'damaged':
      return {
        done: false,
        line: `${name} is damaged and stays where it is: ${result.reason}`,
      };
    case 'in the way':
      return {
        done: false,
        line: `${stream} has new events: .deepwork/journal/${stream}.jsonl exists. Move that file away if the quarantined one should count instead, then try again`,
      };
    case 'tracked':
      return {
        done: false,
        line: `git tracks ${printable(result.file)}: it came with the repository and is not taken over. If you committed it yourself, run: git rm --cached ${printable(result.file)}`,
      };
  }
}

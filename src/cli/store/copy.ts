// deepwork store copy: copies every stream of the journal from files into the database, or back.

import type { CopyResult, CopyWay } from '../../board/stores-of-project.ts';
import { loadBundle } from '../../bundles/load-bundle.ts';
import { toJsonText } from '../../core/json-text.ts';
import { counted } from '../../core/wording.ts';
import type { Io } from '../io.ts';
import { printable } from '../terminal/printable.ts';
import { requireDatabase } from './open-database.ts';

export async function copy(
  io: Io,
  projectRoot: string,
  way: CopyWay,
  json: boolean,
): Promise<number> {
  const database = await requireDatabase(io, projectRoot);
  try {
    const result = await loadBundle('board').copyJournal(projectRoot, io.env, database, way);
    const text = json ? `${toJsonText(inData(way, result), 2)}\n` : inWords(way, result);
    const isDone = result.kind === 'copied';
    (isDone || json ? io.stdout : io.stderr).write(text);
    return isDone ? 0 : 1;
  } finally {
    await database.close();
  }
}

function inData(way: CopyWay, result: CopyResult) {
  const nothing = { streams: [], ahead: [], diverged: [], different: [] };
  switch (result.kind) {
    case 'copied':
      return { ...way, result: 'copied', ...nothing, streams: result.streams, ahead: result.ahead };
    case 'diverged':
      return { ...way, result: 'diverged', ...nothing, diverged: result.streams };
    case 'different':
      return { ...way, result: 'different', ...nothing, different: result.streams };
  }
}

const MAX_NAMED = 20;

function inWords({ from, to }: CopyWay, result: CopyResult): string {
  switch (result.kind) {
    case 'copied': {
      const { streams, ahead } = result;
      const events = streams.reduce((sum, { copied }) => sum + copied, 0);
      const touched = streams.filter(({ copied }) => copied > 0).length;
      const done =
        events === 0
          ? `Nothing to copy: ${to} has all ${counted(streams.length, 'stream')} of ${from}.`
          : `Copied ${counted(events, 'event')} of ${counted(touched, 'stream')} from ${from} to ${to}; every hash was compared.`;
      const left =
        ahead.length === 0
          ? ''
          : `\nNewer in ${to}, and left as they are: ${named(ahead)}. To bring ${from} up to date, copy the other way.`;
      return `${done}${left}\n`;
    }
    case 'diverged':
      return `deepwork: Nothing was copied: ${from} and ${to} have different events in ${named(result.streams)}.\nNext: decide which of the two counts, and move the other one away (a file of .deepwork/journal, or the streams of this workspace in the database).\n`;
    case 'different':
      return `deepwork: ${to} does not have what was copied: ${named(result.streams)}.\nNext: stop the servers of this project, then run the same command again.\n`;
  }
}

function named(streams: readonly string[]): string {
  const more = streams.length - MAX_NAMED;
  const rest = more > 0 ? ` and ${more} more` : '';
  return printable(streams.slice(0, MAX_NAMED).join(', ') + rest);
}

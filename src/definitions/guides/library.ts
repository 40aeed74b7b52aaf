// The guides that can be walked, as they are on disk at each call. An id means the same
// file until one of the files changes, and unchanged files are neither read nor parsed
// again; what each call looks at is explained in `guide-folder.ts`. A listing, and an id
// that nobody seems to have, are worth a look at every file.

import { basename, resolve } from 'node:path';
import { nextSlice, sliceIsOver } from '../../async/slices.ts';
import type { ProblemOf } from '../../files/project-path.ts';
import { openQueueGuard, settleEvents } from '../../files/watch-reliability.ts';
import type { GuideFile } from './guide-file.ts';
import { type GuideFolder, openGuideFolder } from './guide-folder.ts';
import { asDuplicate, type GuideIndex, indexGuides } from './guide-index.ts';
import type { Guide, GuideProblem, InvalidGuide } from './guide-model.ts';
import { invalidFile } from './parse-guide.ts';

export interface GuideLibrary {
  list(): Promise<GuideListing>;
  find(id: string): Promise<FoundGuide>;
  /** How many files have been parsed so far. */
  readonly parsed: number;
  /** Ends the watching of folders; a later call would begin it again. */
  close(): void;
}

interface GuideListing {
  /** Sorted by id. */
  readonly guides: readonly Guide[];
  readonly errors: readonly GuideError[];
}

export interface GuideError {
  readonly id: string;
  readonly file: string;
  readonly code: InvalidGuide['code'];
  readonly problems: readonly GuideProblem[];
}

type FoundGuide =
  | { readonly kind: 'guide'; readonly guide: Guide }
  | (InvalidGuide & { readonly id: string; readonly file: string })
  | { readonly kind: 'missing' };

export interface GuideLibraryOptions {
  readonly folders: () => readonly string[];
  /** Asked of each folder before it is read. */
  readonly problemOf?: ProblemOf;
  /** False: every call looks at every file. */
  readonly watch?: boolean;
}

interface Wanted {
  all: boolean;
  readonly ids: Set<string>;
}

interface NextLook extends Wanted {
  readonly looking: Promise<GuideIndex>;
}

export function openGuideLibrary(options: GuideLibraryOptions): GuideLibrary {
  const queue = (options.watch ?? true) ? openQueueGuard() : null;
  const problemOf = options.problemOf ?? (() => null);
  const opened = new Map<string, GuideFolder>();
  let parsedBefore = 0;
  let index: GuideIndex = indexGuides([]);
  let turn: Promise<unknown> = Promise.resolve();
  let next: NextLook | null = null;

  const openFolders = (): GuideFolder[] => {
    const wanted = new Set(options.folders().map((folder) => resolve(folder)));
    for (const [path, folder] of opened) {
      if (wanted.has(path)) continue;
      parsedBefore += folder.parsed;
      folder.close();
      opened.delete(path);
    }
    return [...wanted].map((path) => {
      const folder =
        opened.get(path) ?? openGuideFolder(path, { watch: queue !== null, problemOf });
      opened.set(path, folder);
      return folder;
    });
  };

  /** Everything, or what may have changed and whatever now stands for these ids. */
  const look = async (at: Wanted): Promise<GuideIndex> => {
    const folders = openFolders();
    const watched = folders.some((folder) => folder.watched);
    if (watched) await settleEvents();
    const winners = [...at.ids].flatMap((id) => index.winners.get(id) ?? []);
    const names = new Set(winners.map(({ guide }) => basename(guide.file)));
    // Where the watch may have missed something, nothing but the files themselves will do.
    const some = !at.all && !(watched && queue?.lost());
    const seen = await Promise.all(folders.map((folder) => folder.look(some ? names : 'all')));
    const same = seen.length === index.views.length;
    if (!same || seen.some((view, place) => view !== index.views[place])) index = indexGuides(seen);
    return index;
  };

  /**
   * One look at a time, and each begins after the calls that want it. Calls that come while
   * one is under way share the next: alone, each would wait for all before it.
   */
  const lookInTurn = (at: 'all' | { readonly id: string }): Promise<GuideIndex> => {
    next ??= planNext();
    if (at === 'all') next.all = true;
    else next.ids.add(at.id);
    return next.looking;
  };

  const planNext = (): NextLook => {
    const planned: Wanted = { all: false, ids: new Set() };
    const looking = turn.then(() => {
      next = null;
      return look(planned);
    });
    turn = looking.catch(() => undefined);
    return Object.assign(planned, { looking });
  };

  return {
    get parsed() {
      return [...opened.values()].reduce((sum, { parsed }) => sum + parsed, parsedBefore);
    },

    async list() {
      return describeAll(await lookInTurn('all'));
    },

    async find(id) {
      const known = (await lookInTurn({ id })).winners.get(id);
      const winner = known ?? (await lookInTurn('all')).winners.get(id);
      if (!winner) return { kind: 'missing' };
      const checked = await winner.guide.check();
      if (checked.kind === 'guide') return checked;
      return { ...checked, id, file: winner.guide.file };
    },

    close() {
      for (const folder of opened.values()) folder.close();
    },
  };
}

async function describeAll({ winners, losers, views }: GuideIndex): Promise<GuideListing> {
  const guides: Guide[] = [];
  const errors: GuideError[] = [];
  const blame = ({ id, file }: Pick<GuideFile, 'id' | 'file'>, invalid: InvalidGuide) => {
    errors.push({ id, file, code: invalid.code, problems: invalid.problems });
  };
  for (const { guide: file } of winners.values()) {
    if (sliceIsOver()) await nextSlice();
    const checked = await file.check();
    if (checked.kind === 'guide') guides.push(checked.guide);
    else blame(file, checked);
  }
  for (const file of losers) {
    if (sliceIsOver()) await nextSlice();
    blame(file, asDuplicate(file, await file.check()));
  }
  for (const { folder, trouble } of views) {
    if (trouble === null) continue;
    const message = `Cannot read the workflows folder: ${trouble}`;
    blame({ id: basename(folder), file: folder }, invalidFile('guide_unreadable', message));
  }
  guides.sort((one, other) => (one.id < other.id ? -1 : 1));
  return { guides, errors };
}

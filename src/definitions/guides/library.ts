// The guides as they are on disk at each call. An id means the same file until one of the files
// changes, and unchanged files are neither read nor parsed again; `files/collection-root.ts`
// explains what each call checks. A listing, and an unknown id, check every file.

import { basename } from 'node:path';
import { coalesce } from '../../async/coalesce.ts';
import { nextSlice, sliceIsOver } from '../../async/slices.ts';
import type { Issue } from '../../core/issue.ts';
import { type GuideFile, type GuideFilesOptions, openGuideFiles, troubleOf } from './guide-file.ts';
import { checkDuplicate, type GuideIndex, indexGuides } from './guide-index.ts';
import type { Guide, InvalidGuide } from './guide-model.ts';
import { invalidFile } from './parse-guide.ts';

export interface GuideLibrary {
  list(): Promise<GuideListing>;
  find(id: string): Promise<FoundGuide>;
  /** How many files have been parsed so far. */
  readonly parsed: number;
  /** Stops watching folders; a later call would start it again. */
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
  readonly problems: readonly Issue[];
}

type FoundGuide =
  | { readonly kind: 'guide'; readonly guide: Guide }
  | (InvalidGuide & { readonly id: string; readonly file: string })
  | { readonly kind: 'missing' };

export type GuideLibraryOptions = Omit<GuideFilesOptions, 'onParse'>;

/** The guide that a call needs; null: all of them. */
interface Asked {
  readonly id: string | null;
}

const EVERYTHING: Asked = { id: null };

export function openGuideLibrary(options: GuideLibraryOptions): GuideLibrary {
  let parsed = 0;
  const onParse = () => {
    parsed += 1;
  };
  const files = openGuideFiles({ ...options, onParse });
  let index: GuideIndex = indexGuides([]);

  /** Checks everything, or only the files that may have changed and those of the given ids. */
  const look = coalesce(async (asked: readonly Asked[]): Promise<GuideIndex> => {
    const winners = asked.flatMap(({ id }) => (id === null ? [] : (index.winners.get(id) ?? [])));
    const paths = new Set(winners.map(({ guide }) => guide.file));
    const seen = await files.look(asked.some(({ id }) => id === null) ? 'all' : paths);
    const same = seen.length === index.views.length;
    if (!same || seen.some((view, place) => view !== index.views[place])) index = indexGuides(seen);
    return index;
  });

  return {
    get parsed() {
      return parsed;
    },

    async list() {
      return describeAll(await look(EVERYTHING));
    },

    async find(id) {
      const known = (await look({ id })).winners.get(id);
      const winner = known ?? (await look(EVERYTHING)).winners.get(id);
      if (!winner) return { kind: 'missing' };
      const checked = await winner.guide.check();
      if (checked.kind === 'guide') return checked;
      return { ...checked, id, file: winner.guide.file };
    },

    close() {
      files.close();
    },
  };
}

async function describeAll({ winners, losers, views }: GuideIndex): Promise<GuideListing> {
  const guides: Guide[] = [];
  const errors: GuideError[] = [];
  const addError = ({ id, file }: Pick<GuideFile, 'id' | 'file'>, invalid: InvalidGuide) => {
    errors.push({ id, file, code: invalid.code, problems: invalid.problems });
  };
  for (const { guide: file } of winners.values()) {
    if (sliceIsOver()) await nextSlice();
    const checked = await file.check();
    if (checked.kind === 'guide') guides.push(checked.guide);
    else addError(file, checked);
  }
  for (const file of losers) {
    if (sliceIsOver()) await nextSlice();
    addError(file, await checkDuplicate(file));
  }
  for (const view of views) {
    const trouble = troubleOf(view);
    if (trouble === null) continue;
    const message = `Cannot read the workflows folder: ${trouble}`;
    const invalid = invalidFile('guide_unreadable', 'unreadable', message);
    addError({ id: basename(view.root), file: view.root }, invalid);
  }
  guides.sort((one, other) => (one.id < other.id ? -1 : 1));
  return { guides, errors };
}

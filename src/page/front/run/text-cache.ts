// A cache of the texts of submitted files, by their hash. The server has only the file as it is now, so
// what was submitted is fetched while it still can be, and kept, to show the change between two
// submissions later.

import { useEffect, useState } from 'preact/hooks';
import type { RunDetail } from '../../../board/run.ts';
import type { AnswerCache } from '../server/answer-cache.ts';
import { fetchFile, fileAddress, hasFile } from '../server/api.ts';
import { usePage } from '../store/page-state.ts';

export interface SubmittedText {
  readonly text: string;
  /** Not the text with this hash: the file has changed since, and the old text was not cached. */
  readonly isChanged: boolean;
}

const MAX_FILES_AT_ONCE = 20;

export async function submittedText(
  cache: AnswerCache,
  runId: string,
  sha256: string,
): Promise<SubmittedText> {
  const address = fileAddress(runId, sha256);
  const cached = await cache.get(address);
  if (cached !== null) return { text: cached.text, isChanged: false };
  const { text, changed } = await fetchFile(runId, sha256);
  if (!changed) cache.put(address, text);
  return { text, isChanged: changed };
}

/** Whether the texts of two submissions can be compared; null: not known yet. */
export function useCanCompare(
  runId: string,
  before: string | null,
  now: string | null,
): boolean | null {
  const { cache } = usePage();
  const [can, setCan] = useState<boolean | null>(null);
  useEffect(() => {
    setCan(null);
    if (before === null || now === null || before === now) return;
    let isUnmounted = false;
    const has = async (sha256: string) =>
      (await cache.get(fileAddress(runId, sha256))) !== null || hasFile(runId, sha256);
    void (async () => {
      const both = (await has(before)) && (await has(now));
      if (!isUnmounted) setCan(both);
    })().catch(() => {});
    return () => {
      isUnmounted = true;
    };
  }, [cache, runId, before, now]);
  return can;
}

/** Fetches the last submission of each step, newest first, while the run is shown. */
export function useCacheTexts(detail: RunDetail | null): void {
  const { cache } = usePage();
  const runId = detail?.run.session_id ?? '';
  const latest = (detail?.workflow.steps ?? []).flatMap(({ progress }) =>
    progress.submissions.slice(-1),
  );
  latest.sort((a, b) => b.seq - a.seq);
  const hashes = latest.flatMap(({ files }) => Object.values(files));
  const wanted = hashes.slice(0, MAX_FILES_AT_ONCE).join(' ');
  useEffect(() => {
    const missing = wanted.split(' ').filter((hash) => hash !== '');
    void (async () => {
      for (const hash of missing) await submittedText(cache, runId, hash).catch(() => {});
    })();
  }, [cache, runId, wanted]);
}

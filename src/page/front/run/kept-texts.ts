// The texts of submitted files by their hash. The server has only the file as it is now, so what
// was handed in is fetched while it can be, and kept: that is what makes a change between two
// submissions visible later.

import { useEffect, useState } from 'preact/hooks';
import type { RunDetail } from '../../../board/run.ts';
import { fetchFile, fileAddress, hasFile } from '../server/api.ts';
import type { SeenStore } from '../server/seen.ts';
import { usePage } from '../store/page-state.ts';

export interface KeptText {
  readonly text: string;
  /** Not the text with this hash: the file has changed since, and no one kept the old one. */
  readonly isOther: boolean;
}

const MAX_FILES_AT_ONCE = 20;

export async function textOf(seen: SeenStore, runId: string, sha256: string): Promise<KeptText> {
  const address = fileAddress(runId, sha256);
  const kept = await seen.get(address);
  if (kept !== null) return { text: kept.text, isOther: false };
  const { text, changed } = await fetchFile(runId, sha256);
  if (!changed) seen.put(address, text);
  return { text, isOther: changed };
}

/** Whether the texts of two submissions can be compared; null: not known yet. */
export function useCanCompare(
  runId: string,
  before: string | null,
  now: string | null,
): boolean | null {
  const { seen } = usePage();
  const [can, setCan] = useState<boolean | null>(null);
  useEffect(() => {
    setCan(null);
    if (before === null || now === null || before === now) return;
    let isLeft = false;
    const has = async (sha256: string) =>
      (await seen.get(fileAddress(runId, sha256))) !== null || hasFile(runId, sha256);
    void (async () => {
      const both = (await has(before)) && (await has(now));
      if (!isLeft) setCan(both);
    })().catch(() => {});
    return () => {
      isLeft = true;
    };
  }, [seen, runId, before, now]);
  return can;
}

/** Fetches what was handed in last for each step, newest first, while the run is looked at. */
export function useKeepTexts(detail: RunDetail | null): void {
  const { seen } = usePage();
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
      for (const hash of missing) await textOf(seen, runId, hash).catch(() => {});
    })();
  }, [seen, runId, wanted]);
}

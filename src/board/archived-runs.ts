// Where pruned runs are, so that a person who looks for one learns which archive has it. The first
// lines of archives are read without proof: only this hint depends on them.

import path from 'node:path';
import { refuse } from '../core/refusal.ts';
import { TEAM_RUNS } from '../core/run/streams.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import { openContainment } from '../environment/containment.ts';
import { pathsOf } from '../environment/paths.ts';
import { readTextStart } from '../files/read-contained.ts';
import { listArchives } from '../journal/archive.ts';
import { checkedLayer } from '../journal/checked-layer.ts';
import { realFileLayer } from '../journal/file-layer.ts';
import { ONLY_ARCHIVED } from './run-words.ts';

/** The archives of a project, relative to it; none if they cannot be read. */
export async function archivesOf(projectRoot: string): Promise<string[]> {
  const { root, archive } = pathsOf(projectRoot);
  const layer = checkedLayer(realFileLayer, openContainment(root, () => {}).require);
  const names = await listArchives(archive, layer).catch(() => []);
  return names.map((name) => path.relative(root, path.join(archive, name)));
}

/** The refusal for a run that was pruned; null if no archive lists it, or `wanted` fits several. */
export async function archivedRun(projectRoot: string, wanted: string) {
  const archives = await archivesOf(projectRoot);
  if (wanted === 'last') {
    return archives.length === 0
      ? null
      : refuse('run_unknown', ONLY_ARCHIVED, 'start one: `deepwork` shows how.');
  }
  const found = new Map<string, string>();
  for (const file of archives) {
    for (const id of idsIn(path.join(projectRoot, file), wanted)) found.set(id, file);
  }
  const [[id, file] = ['', '']] = found;
  if (found.size !== 1) return null;
  return refuse(
    'run_unknown',
    `Run ${id} was moved to ${file}`,
    `read it there; \`deepwork verify ${id}\` checks that it is as written.`,
  );
}

const LISTED_BYTES = 1024 * 1024;
const LISTED = new RegExp(`"stream":"(?:${SESSION_STREAMS}|${TEAM_RUNS})([0-9a-f]{8})"`, 'g');

function idsIn(file: string, wanted: string): string[] {
  const [first = ''] = (readTextStart(file, LISTED_BYTES) ?? '').split('\n', 1);
  const ids = [...first.matchAll(LISTED)].map(([, id = '']) => id);
  return wanted === '' ? [] : ids.filter((id) => id.startsWith(wanted));
}

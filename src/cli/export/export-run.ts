// deepwork export <id>: a run as one HTML file, to send to someone or to keep.

import path from 'node:path';
import { loadBundle } from '../../bundles/load-bundle.ts';
import { bundled } from '../command-line.ts';
import { cannotWrite, isFreeFor, writeExport } from './write-export.ts';

/** Marks a page as an export of deepwork. */
const GENERATOR = '<meta name="generator" content="deepwork">';

export async function exportRun(
  wanted: string,
  projectRoot: string,
  output: string | undefined,
): Promise<number> {
  const { openProjectBoard, exportPage } = loadBundle('board');
  const detail = await openProjectBoard({ projectRoot, ...bundled() }).run(wanted);
  const file = path.resolve(output ?? `run-${detail.run.session_id}.html`);
  if (!isFreeFor(file, GENERATOR)) {
    throw cannotWrite(file, 'the existing file is not an export of deepwork; remove it first');
  }
  writeExport(file, exportPage(detail));
  process.stdout.write(`${file}\n`);
  return 0;
}

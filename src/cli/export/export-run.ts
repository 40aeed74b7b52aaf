// deepwork export <id>: a run as one HTML file, to send to someone or to keep.

import path from 'node:path';
import { loadBundle } from '../../bundles/load-bundle.ts';
import type { Io } from '../io.ts';
import { projectOptions } from '../project.ts';
import { cannotWrite, isFreeFor, writeExport } from './write-export.ts';

/** Marks a page as an export of deepwork. */
const GENERATOR = '<meta name="generator" content="deepwork">';

export async function exportRun(
  io: Io,
  wanted: string,
  projectRoot: string,
  output: string | undefined,
): Promise<number> {
  const { openProjectBoard, exportPage } = loadBundle('board');
  const detail = await openProjectBoard(projectOptions(io, projectRoot)).run(wanted);
  const file = path.resolve(io.cwd, output ?? `run-${detail.run.session_id}.html`);
  if (!isFreeFor(file, GENERATOR)) {
    throw cannotWrite(file, 'the existing file is not an export of deepwork; remove it first');
  }
  writeExport(file, exportPage(detail));
  io.stdout.write(`${file}\n`);
  return 0;
}

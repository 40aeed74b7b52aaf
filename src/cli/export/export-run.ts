// deepwork export <id>: a run as one HTML file, to send to someone or to keep.

import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadBoard } from '../../bundles/load-engine.ts';
import { bundled, requireProject } from '../command-line.ts';

export async function exportRun(
  { projectRoot, given }: { readonly projectRoot: string; readonly given: string | undefined },
  wanted: string,
  output: string | undefined,
): Promise<number> {
  requireProject(projectRoot, given);
  const { openProjectBoard, exportPage } = loadBoard();
  const detail = await openProjectBoard({ projectRoot, ...bundled() }).run(wanted);
  const file = path.resolve(output ?? `run-${detail.run.session_id}.html`);
  write(file, exportPage(detail));
  process.stdout.write(`${file}\n`);
  return 0;
}

/** By a rename, so that a link in its place is replaced and not followed. */
function write(file: string, text: string): void {
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

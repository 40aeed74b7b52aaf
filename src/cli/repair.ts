// deepwork repair: gets a team going again whose state file or journal cannot be read.

import path from 'node:path';
import { loadEngine } from '../load-engine.ts';
import { bundled, projectAt, readOptions } from './command-line.ts';
import { REPAIR_HELP } from './help.ts';
import { AGENTS_CANNOT, turnsAgentAway } from './only-people.ts';

export async function repair(argv: readonly string[]): Promise<number> {
  const { values } = readOptions('repair', {
    args: [...argv],
    options: {
      path: { type: 'string', default: '.' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(REPAIR_HELP);
    return 0;
  }
  if (turnsAgentAway("repair the team's state")) return AGENTS_CANNOT;
  const projectRoot = projectAt(values.path);
  const { team } = loadEngine().openWorkspace({ projectRoot, ...bundled() });
  const { stateFile, journal } = await team.repair();
  if (stateFile !== null) {
    const kept = path.relative(projectRoot, stateFile);
    process.stdout.write(
      `state.json could not be read. It is kept as ${kept}; the team goes on.\n`,
    );
  }
  if (journal.length > 0) {
    process.stdout.write(
      `The team's journal was damaged. It is kept as ${journal.join(', ')} in .deepwork/journal; the team goes on from state.json.\n`,
    );
  }
  if (stateFile === null && journal.length === 0) {
    process.stdout.write('Nothing to repair: state.json and the journal can be read.\n');
  }
  return 0;
}

// Any command: instructions and payload on stdin, the answer as JSON on stdout, bare or in
// a fenced block.

import { splitCommand } from '../../split-command.ts';
import { fencedOrWhole } from '../find-json.ts';
import { exitFault, parseRawAnswer, type ReviewerAdapter } from './adapter.ts';

const NAME = 'Review agent';

export function commandAdapter(command: string): ReviewerAdapter {
  return {
    name: NAME,
    argv: () => splitCommand(command),
    stdin: (instructions, payload) => `${instructions}\n\n${payload}`,
    readAnswer: (printed) =>
      exitFault(NAME, printed) ?? parseRawAnswer(NAME, fencedOrWhole(printed.stdout)),
  };
}

// The Claude CLI: instructions as its system prompt, the answer held to a schema. A reviewer
// reads and judges: it gets no tools that write or run anything, and nothing of the project (MCP
// servers, hooks, settings) that the work under review could have changed to its favour.

import { ANSWER_SCHEMA } from '../answer.ts';
import {
  exitFault,
  parseRawAnswer,
  type RawAnswer,
  type ReviewerAdapter,
  tail,
} from './adapter.ts';

const NAME = 'Claude CLI';

export const claude: ReviewerAdapter = {
  name: NAME,
  argv: (instructions) => [
    'claude',
    '--print',
    '--output-format',
    'json',
    '--system-prompt',
    instructions,
    '--json-schema',
    JSON.stringify(ANSWER_SCHEMA),
    '--tools',
    'Read,Grep,Glob',
    '--strict-mcp-config',
    '--setting-sources',
    'user',
    '-p',
    '--',
  ],
  stdin: (_instructions, payload) => payload,
  readAnswer(printed): RawAnswer {
    const parsed = parseRawAnswer(NAME, printed.stdout);
    const { is_error, result, structured_output } = membersOf(parsed);
    // An error that the CLI itself reports ("Not logged in"), whatever its exit code.
    if (is_error === true) {
      return { fault: `${NAME} returned error: ${tail(String(result ?? 'no reason given'))}` };
    }
    const failed = exitFault(NAME, printed);
    if (failed !== null) return failed;
    if ('fault' in parsed) return parsed;
    return structured_output === undefined || structured_output === null
      ? { fault: `${NAME} response missing 'structured_output' field` }
      : { value: structured_output };
  },
};

function membersOf(found: RawAnswer): Record<string, unknown> {
  return (('value' in found ? found.value : null) ?? {}) as Record<string, unknown>;
}

// A guide's failure as a client gets it. Programs read its number and data; a model, which may see
// only the text, gets the same as lines: which workflow, which file, every problem, and what to do
// next.

import { type Refusal, type Refused, refusedWith } from '../../core/refusal.ts';
import { shown } from '../../core/wording.ts';
import { type Problem, writeIssues } from '../../definitions/reader/issues.ts';
import { listOf, object, optionalMember, TEXT, WHOLE } from '../answer-schema.ts';
import { RPC_CODES, rpcCodeOf } from '../rpc-codes.ts';
import { cutMessage, prose, type ToolResult } from '../tool-result.ts';

interface Details {
  readonly workflowId?: string;
  readonly stepId?: string;
  readonly file?: string;
  readonly field?: string;
  readonly rule?: string;
  readonly reason?: string;
  readonly problems?: readonly Problem[];
  /** Where the server's log has more. */
  readonly log?: string;
}

export const PROBLEMS = listOf(
  object<Problem>({ line: WHOLE, column: WHOLE, path: TEXT, message: TEXT }),
);

export const FAILURE_DATA = object<Details>({
  workflowId: optionalMember(TEXT),
  stepId: optionalMember(TEXT),
  file: optionalMember(TEXT),
  field: optionalMember(TEXT),
  rule: optionalMember(TEXT),
  reason: optionalMember(TEXT),
  problems: optionalMember(PROBLEMS),
  log: optionalMember(TEXT),
});

export function invalidParam(field: string, reason: string, next: string | null = null): Refused {
  const data = { field: shown(field), reason };
  const message = `Invalid params: ${data.field} ${reason}`;
  return refusedWith('invalid_params', message, next, data);
}

/** The next move for failures that do not have one themselves. */
const NEXT: Readonly<Record<string, (about: Details) => string>> = {
  invalid_params: ({ field }) => `correct ${field} and call again.`,
  guide_not_found: () => 'call workflow_list to see which ids there are.',
  guide_invalid: ({ file }) => `fix ${file} (\`deepwork lint\` checks it), then call again.`,
  guide_step_not_found: ({ workflowId }) =>
    `call workflow_get with id '${workflowId}' to see its steps, then call again.`,
  guide_rule_unusable: ({ stepId }) =>
    `fix this rule of step '${stepId}' in its file, then call again.`,
  guide_unreadable: ({ file }) => `make ${file} a file that can be read, then call again.`,
  guide_outside: ({ file }) => `put the file itself in place of the link ${file}, then call again.`,
};

/** `withNext` adds the next move as a field, which guide tools do not promise. */
export function presentFailure(
  refusal: Refusal,
  { withNext }: { readonly withNext: boolean },
): ToolResult {
  const { data } = refusal;
  const about: Details = data ?? {};
  const number = rpcCodeOf(refusal);
  // A failure without a number is an internal error; the log has the details.
  const message = number === null ? 'Internal error' : cutMessage(refusal.message);
  const next = refusal.next ?? NEXT[refusal.code]?.(about) ?? null;
  const code = number ?? RPC_CODES.fault;
  return {
    ...prose([message, ...detailsOf(about), ...named('Next', next)].join('\n')),
    structuredContent: { error: { code, message, data, ...(withNext && { next }) } },
    isError: true,
  };
}

function detailsOf(about: Details): string[] {
  const { workflowId, stepId, file, field, rule, reason, problems = [] } = about;
  const kept = problems.map(({ path, message, ...at }) => ({
    at,
    message: path === '' ? message : `${path}: ${message}`,
  }));
  return [
    ...named('Workflow', workflowId),
    ...named('Step', stepId),
    ...named('File', file),
    ...named('Rule', rule),
    // For a parameter, the message already contains the reason.
    ...named('Reason', field === undefined ? reason : null),
    ...writeIssues({ kept, left: 0 }),
  ];
}

function named(label: string, value: string | null | undefined): string[] {
  return value === null || value === undefined ? [] : [`${label}: ${value}`];
}

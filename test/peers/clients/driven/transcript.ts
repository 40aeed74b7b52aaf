// A run in a client as a plain text for people: who said what, what was called and answered.
// What differs from run to run (ids, folders, times) is replaced, so that two runs of the same
// script give the same text.

import type { Text } from '../../model/script.ts';
import type { RecordedRequest } from '../../model/server.ts';
import { plainName } from '../../model/tool-choice.ts';
import type { Answer } from '../../model/wire.ts';

export interface Replaced {
  readonly from: string;
  readonly to: string;
}

const WIDTH = 96;
const INDENT = 10;

/** `hookSays`: how the client opens what a Stop hook said to the model. */
export function transcript(
  prompt: string,
  requests: readonly RecordedRequest[],
  hookSays: string,
): string {
  const blocks = [block('person', prompt)];
  let known = new Set<string>();
  let calls = 0;
  for (const { conversation, answer } of requests) {
    const { texts } = conversation;
    const results = conversation.calls.filter(({ result }) => result !== null);
    for (const { name, result } of results.slice(calls)) {
      if (!CLIENTS_OWN.has(name)) blocks.push(block('deepwork', answered(result ?? '')));
    }
    calls = results.length;
    for (const { text } of texts.filter((each) => isNew(each, known) && each.role === 'user')) {
      if (text.startsWith(hookSays)) {
        blocks.push(block('deepwork', text.slice(hookSays.length).trim(), 'does not let it stop'));
      }
    }
    known = new Set(texts.map(({ text }) => text));
    const said = agent(answer);
    if (said !== null) blocks.push(said);
  }
  return blocks.join('\n\n');
}

export function replaceAll(text: string, replaced: readonly Replaced[]): string {
  return replaced.reduce((done, { from, to }) => done.replaceAll(from, to), text);
}

function isNew({ text }: Text, known: ReadonlySet<string>): boolean {
  return !known.has(text);
}

/** Loading a tool and writing a file are between the agent and its client. */
const CLIENTS_OWN = new Set(['ToolSearch', 'Write']);

function agent(answer: Answer): string | null {
  if ('say' in answer) return block('agent', answer.say, 'wants to stop');
  const name = plainName(answer.call.name);
  if (name === 'ToolSearch') return null;
  const args = answer.args as Readonly<Record<string, string>>;
  if (name === 'Write') return block('agent', `${args.content}`, `writes ${args.file_path}`);
  return block('agent', JSON.stringify(args), `calls ${name}`);
}

/** The members of an answer that say where the agent stands. */
function answered(result: string): string {
  const { begin_step, ...whole } = JSON.parse(result);
  const plain = ['status', 'reason', 'feedback', 'all_outputs']
    .filter((name) => (whole[name] ?? null) !== null)
    .map((name) => [name, whole[name]] as const)
    .map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
  const lines = [...plain, ...((begin_step ?? null) === null ? [] : begins(begin_step))];
  return lines.join('\n');
}

interface Begun {
  readonly step_id: string;
  readonly session_id: string;
  readonly step_instructions: string;
  readonly step_expected_outputs: readonly { readonly name: string }[];
}

function begins(begun: Begun): string[] {
  const names = begun.step_expected_outputs.map(({ name }) => name).join(', ');
  return [
    `begin_step: '${begun.step_id}' (session ${begun.session_id})`,
    `step_instructions: ${begun.step_instructions.trim()}`,
    `step_expected_outputs: ${names}`,
  ];
}

function block(who: string, text: string, does = ''): string {
  const lines = text.split('\n').flatMap(wrap);
  const [first = '', ...rest] = does === '' ? lines : [`[${does}]`, ...lines];
  const indented = rest.map((line) => ' '.repeat(INDENT) + line);
  return [who.padEnd(INDENT) + first, ...indented].join('\n');
}

function wrap(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > WIDTH - INDENT) {
    const space = rest.lastIndexOf(' ', WIDTH - INDENT);
    const at = space <= 0 ? WIDTH - INDENT : space;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

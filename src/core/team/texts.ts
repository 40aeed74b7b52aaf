// The team's answers, exactly as promised. Lines are joined by newlines, blocks by blank
// lines; no answer ends in a newline.

import { COORDINATOR } from './caller.ts';
import { type ModelsOf, readAt } from './inbox.ts';
import { openMailBudget } from './mail-budget.ts';
import type { TeamMember } from './member.ts';
import type { OfferedMessage, Sent } from './messages.ts';
import type { Message, Todo } from './state.ts';
import type { Updated } from './work.ts';

export function updatedText({ status, task, note, noteCount }: Updated): string {
  const waiting = status === 'waiting-for-human';
  return [
    waiting
      ? "Status is currently 'waiting-for-human'. Status kept; task and progress saved."
      : 'State updated successfully.',
    `  Status: ${status}`,
    ...(task === '' ? [] : [`  Current task: ${task}`]),
    ...(note === null ? [] : [`  Added progress note: ${note}`]),
    `  Total progress notes: ${noteCount}`,
  ].join('\n');
}

export function todosText(todos: readonly Todo[]): string {
  const left = todos.filter(({ status }) => status !== 'completed').length;
  return [
    `${left} todos`,
    ...todos.map(({ status, content, priority }) => {
      return `→ ${SYMBOLS.get(status) ?? '○'} ${content} (${priority})`;
    }),
  ].join('\n');
}

const SYMBOLS = new Map([
  ['in_progress', '◐'],
  ['completed', '●'],
  ['cancelled', '✕'],
]);

export function sentText({ id, from, to, body }: Sent, by: TeamMember): string {
  const text = [
    `Message sent successfully to ${to}. (ID: ${id})`,
    `From: ${from}`,
    `To: ${to}`,
    `Body: ${body}`,
  ].join('\n');
  return by.name === COORDINATOR
    ? text
    : `${text}\n\nIMPORTANT: Yield with status 'agent-done' to let replies arrive.`;
}

export function inboxText(messages: readonly OfferedMessage[]): string {
  if (messages.length === 0) return 'You have no messages.';
  return [
    `You have ${messages.length} message(s):`,
    ...messages.map(({ message, redelivered }, index) =>
      [
        `Message ${index + 1}: (ID: ${message.id}, ${message.createdAt}${redelivered ? ', redelivered' : ''})`,
        `  From: ${message.from}`,
        `  Body: ${message.body}`,
      ].join('\n'),
    ),
  ].join('\n\n');
}

/** The newest sent messages, oldest first, with the total count. */
export function outboxText(messages: readonly Message[], modelsOf: ModelsOf): string {
  if (messages.length === 0) return 'You have not sent any messages.';
  const pending: Message[] = [];
  const delivered: Message[] = [];
  for (const message of messages) {
    (readAt(message, modelsOf) === null ? pending : delivered).push(message);
  }
  return [
    outboxBlock('Pending messages', pending, modelsOf),
    outboxBlock('Delivered messages', delivered, modelsOf),
  ]
    .filter((text) => text !== null)
    .join('\n\n');
}

function outboxBlock(
  title: string,
  messages: readonly Message[],
  modelsOf: ModelsOf,
): string | null {
  if (messages.length === 0) return null;
  const budget = openMailBudget();
  const lines: string[] = [];
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at] as Message;
    const subject = firstLine(message.body);
    if (!budget.take(subject)) break;
    const readWhen = readAt(message, modelsOf);
    const read = readWhen === null ? '' : ` | Read at ${readWhen}`;
    lines.push(`  ${at + 1}. To: ${message.to} | Subject: ${subject}${read} | ID: ${message.id}`);
  }
  const older = messages.length - lines.length;
  return [
    `${title} (${messages.length}):`,
    ...(older === 0 ? [] : [`  (${older} older ones are not shown)`]),
    ...lines.reverse(),
  ].join('\n');
}

function firstLine(body: string): string {
  return body.split(/\r?\n/, 1)[0] as string;
}

export function busText(newestFirst: readonly Message[], modelsOf: ModelsOf): string {
  if (newestFirst.length === 0) return 'No messages in the system.';
  const budget = openMailBudget();
  const blocks: string[] = [];
  for (const message of newestFirst) {
    if (!budget.take(message.body)) break;
    const at = readAt(message, modelsOf);
    blocks.push(
      [
        `Message ${blocks.length + 1} (ID: ${message.id}): ${message.createdAt}`,
        `  From: ${message.from}`,
        `  To: ${message.to}`,
        `  Status: ${at === null ? 'pending' : 'read'}`,
        ...(at === null ? [] : [`  Read At: ${at}`]),
        `  Body: ${message.body}`,
      ].join('\n'),
    );
  }
  const older = newestFirst.length - blocks.length;
  return [
    `Total messages: ${newestFirst.length}`,
    ...blocks,
    ...(older === 0 ? [] : [`(${older} older messages are not shown)`]),
  ].join('\n\n');
}

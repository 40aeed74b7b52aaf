// The team's answers, word for word as they are promised. Lines are joined by newlines,
// blocks by blank lines; no answer ends in a newline.

import { COORDINATOR } from './caller.ts';
import { type ModelsOf, readAt } from './inbox.ts';
import type { Member } from './member.ts';
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
    ...todos.map(({ status, content, priority }) => `→ ${symbol(status)} ${content} (${priority})`),
  ].join('\n');
}

function symbol(status: string): string {
  switch (status) {
    case 'in_progress':
      return '◐';
    case 'completed':
      return '●';
    case 'cancelled':
      return '✕';
    default:
      return '○';
  }
}

export function sentText({ id, from, to, body }: Sent, by: Member): string {
  const told = [
    `Message sent successfully to ${to}. (ID: ${id})`,
    `From: ${from}`,
    `To: ${to}`,
    `Body: ${body}`,
  ].join('\n');
  return by.name === COORDINATOR
    ? told
    : `${told}\n\nIMPORTANT: Yield with status 'agent-done' to let replies arrive.`;
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

export function outboxText(messages: readonly Message[], modelsOf: ModelsOf): string {
  if (messages.length === 0) return 'You have not sent any messages.';
  const pending: string[] = [];
  const delivered: string[] = [];
  for (const message of messages) {
    const at = readAt(message, modelsOf);
    const lines = at === null ? pending : delivered;
    const read = at === null ? '' : ` | Read at ${at}`;
    lines.push(
      `  ${lines.length + 1}. To: ${message.to} | Subject: ${firstLine(message.body)}${read} | ID: ${message.id}`,
    );
  }
  return [block('Pending messages', pending), block('Delivered messages', delivered)]
    .filter((text) => text !== null)
    .join('\n\n');
}

function block(title: string, lines: readonly string[]): string | null {
  return lines.length === 0 ? null : [`${title} (${lines.length}):`, ...lines].join('\n');
}

function firstLine(body: string): string {
  return body.split(/\r?\n/, 1)[0] as string;
}

export function busText(newestFirst: readonly Message[], modelsOf: ModelsOf): string {
  if (newestFirst.length === 0) return 'No messages in the system.';
  return [
    `Total messages: ${newestFirst.length}`,
    ...newestFirst.map((message, index) => {
      const at = readAt(message, modelsOf);
      return [
        `Message ${index + 1} (ID: ${message.id}): ${message.createdAt}`,
        `  From: ${message.from}`,
        `  To: ${message.to}`,
        `  Status: ${at === null ? 'pending' : 'read'}`,
        ...(at === null ? [] : [`  Read At: ${at}`]),
        `  Body: ${message.body}`,
      ].join('\n');
    }),
  ].join('\n\n');
}

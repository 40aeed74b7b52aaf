// What criteria ask for under a context, in the words of their authors: told to an agent
// before it starts, and the ground for the words of a `not` that has none of its own.

import { type Context, holds } from '../conditions.ts';
import type { Member } from './model.ts';

/** Messages in file order; none means that the member is skipped under this context. */
export function messagesOf(member: Member, context: Context): string[] {
  switch (member.kind) {
    case 'and':
    case 'or':
      return member.members.flatMap((inner) => messagesOf(inner, context));
    case 'not': {
      const inner = messagesOf(member.member, context);
      if (inner.length === 0) return [];
      return [member.message ?? `Output must not satisfy: ${inner.join('; ')}`];
    }
    default:
      return member.condition === null || holds(member.condition, context) ? [member.message] : [];
  }
}

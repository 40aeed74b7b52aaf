// The requirements that apply in a context, as their authors worded them: shown to an agent
// before it starts, and used for a `not` without a message of its own.

import { type Context, holds } from '../conditions.ts';
import type { CriteriaPart } from './model.ts';

/** Messages in file order; an empty list means that the member is skipped in this context. */
export function messagesOf(member: CriteriaPart, context: Context): string[] {
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

import { type Context } from '../conditions.ts';
import type { Member } from './model.ts';
/** Messages in file order; none means that the member is skipped under this context. */
export declare function messagesOf(member: Member, context: Context): string[];

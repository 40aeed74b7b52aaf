import { type Context } from '../conditions.ts';
import type { Criteria, Verdict } from './model.ts';
/** Null criteria still refuse a text that is blank. */
export declare function validateText(criteria: Criteria | null, text: string, context: Context): Verdict;

// The numbers by which guides' failures are known on the wire. Inside, a failure has a word.

import type { Refusal } from '../../core/refusal.ts';
import type { GuideCode } from '../../engine/guides/failures.ts';

const NUMBERS: Readonly<Record<GuideCode, number>> = {
  invalid_params: -32602,
  guide_fault: -32603,
  guide_not_found: -32001,
  guide_invalid: -32002,
  guide_step_not_found: -32003,
  guide_rule_unusable: -32004,
  guide_step_gone: -32005,
  guide_unreadable: -32006,
  guide_outside: -32007,
};

export function rpcCode(code: GuideCode): number {
  return NUMBERS[code];
}

/** The number of a refusal; null: it has none, and its word goes out. */
export function rpcCodeOf({ code }: Refusal): number | null {
  return Object.hasOwn(NUMBERS, code) ? NUMBERS[code as GuideCode] : null;
}

// The error numbers of JSON-RPC, and those of guides' failures. Inside deepwork, errors have words;
// this is the only place that maps them to the numbers on the wire.

export const RPC_CODES = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  fault: -32603,
  guide_not_found: -32001,
  guide_invalid: -32002,
  guide_step_not_found: -32003,
  guide_rule_unusable: -32004,
  guide_step_gone: -32005,
  guide_unreadable: -32006,
  guide_outside: -32007,
} as const;

/** Null: the refusal has no number, so its word is sent. */
export function rpcCodeOf({ code }: { readonly code: string }): number | null {
  return Object.hasOwn(RPC_CODES, code) ? RPC_CODES[code as keyof typeof RPC_CODES] : null;
}

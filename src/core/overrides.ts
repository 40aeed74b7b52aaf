// Who may skip reviews, from the loosest rule to the strictest: the agent itself, by giving
// a reason; a person, who is asked for it; no one.

export const OVERRIDE_RULES = ['agent', 'person', 'never'] as const;

export type OverrideRule = (typeof OVERRIDE_RULES)[number];

export function stricterRule(one: OverrideRule, other: OverrideRule): OverrideRule {
  return OVERRIDE_RULES.indexOf(one) >= OVERRIDE_RULES.indexOf(other) ? one : other;
}

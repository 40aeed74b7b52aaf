// The scripted agents that a workflow is played with, and what each of them tries.

export const SIMULATED_AGENTS = [
  'honest',
  'skipper',
  'liar',
  'amnesiac',
  'doubler',
  'racer',
  'crasher',
] as const;
export type AgentName = (typeof SIMULATED_AGENTS)[number];

/** What each agent tries, in the words of the report. */
export const TRIES: Readonly<Record<AgentName, string>> = {
  honest: 'does every step as it is asked',
  skipper: 'hands in nothing, or steps that are not due',
  liar: 'hands in files that say nothing true',
  amnesiac: 'forgets everything between calls',
  doubler: 'sends every call twice',
  racer: 'sends every call several times at once',
  crasher: 'is cut off in the middle of calls',
};

// What only a person may do at a terminal: answer a question, trust a command. Whoever
// runs as an agent is known by what `deepwork launch` and its clients set, and is turned
// away before anything is looked at.

const MARKS = ['SGAI_AGENT_IDENTITY', 'DEEPWORK_AGENT_TOKEN'];

export const AGENTS_CANNOT = 4;

/** True if an agent was turned away, and told so. Empty marks are marks, too. */
export function turnsAgentAway(deed: string): boolean {
  const mark = MARKS.find((name) => process.env[name] !== undefined);
  if (mark === undefined) return false;
  process.stderr.write(`deepwork: agents cannot ${deed} (${mark} is set). Ask your user to.\n`);
  return true;
}

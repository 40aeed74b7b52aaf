// The environment for programs that are not ours: agents, reviewers, and the commands of a project.
// A trusted command may run, but does not get the rights of the server's owner: its token, its
// database, or the variable that trusts everything.

const WITHHELD: readonly string[] = [
  'DEEPWORK_DATABASE_URL',
  'DEEPWORK_TOKEN',
  'DEEPWORK_TRUST',
  // The token of the agent that started us. An agent that we start gets its own, if any.
  'DEEPWORK_AGENT_TOKEN',
  // The page's server signs in with it.
  'DEEPWORK_RUN_PASS',
];

export function programEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !WITHHELD.includes(name)));
}

// The environment for programs that are not ours: agents, reviewers, and the commands of a project.
// Trusting a command means to run it, not to hand it the owner's rights: the token of the server,
// the database behind it, or the word that everything is trusted.

const OURS: readonly string[] = [
  'DEEPWORK_DATABASE_URL',
  'DEEPWORK_TOKEN',
  'DEEPWORK_TRUST',
  // That of the agent which started us. One that gets its own is given it besides.
  'DEEPWORK_AGENT_TOKEN',
  // The pass of the page's server.
  'DEEPWORK_RUN_PASS',
];

export function programEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OURS.includes(name)));
}

// Written by `deepwork init`; `deepwork init --undo` removes it. Keeps the agent at its
// workflow: reminds it of open work, and sends it back when it stops in the middle.

import { spawn } from 'node:child_process';

const DEEPWORK = ['deepwork'];
const TIMEOUT_MS = 15000;
const WRITING_TOOLS = ['write', 'edit', 'patch', 'multiedit', 'apply_patch'];

/** Runs the hook; null if it has nothing to say, or fails. */
function ask(moment, input) {
  return new Promise((resolve) => {
    const [program, ...args] = DEEPWORK;
    const child = spawn(program, [...args, 'hook', 'opencode', moment], {
      cwd: input.cwd,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
    });
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
    });
    child.on('error', () => resolve(null));
    child.on('close', () => {
      try {
        resolve(JSON.parse(text));
      } catch {
        resolve(null);
      }
    });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(input));
  });
}

export const Deepwork = async ({ client, directory }) => {
  const about = (sessionID, more = {}) => ({ session_id: sessionID, cwd: directory, ...more });
  const prompt = (sessionID, text) =>
    client.session.promptAsync({
      path: { id: sessionID },
      body: { parts: [{ type: 'text', text, synthetic: true }] },
    });
  const contextOf = (answer) => answer?.hookSpecificOutput?.additionalContext;
  /** What an agent is reminded of when a session begins, until its first turn has ended. */
  const reminders = new Map();

  return {
    'experimental.chat.system.transform': async ({ sessionID }, output) => {
      if (!sessionID) return;
      if (!reminders.has(sessionID)) {
        const answer = await ask('start', about(sessionID, { source: 'startup' }));
        reminders.set(sessionID, contextOf(answer));
      }
      const reminder = reminders.get(sessionID);
      if (reminder) output.system.push(reminder);
    },
    'experimental.session.compacting': async ({ sessionID }, output) => {
      const context = contextOf(await ask('start', about(sessionID, { source: 'compact' })));
      if (context) output.context.push(context);
    },
    'tool.execute.before': async ({ tool, sessionID }, { args }) => {
      if (!WRITING_TOOLS.includes(tool)) return;
      const answer = await ask('tool', about(sessionID, { tool_name: tool, tool_input: args }));
      const { permissionDecision, permissionDecisionReason } = answer?.hookSpecificOutput ?? {};
      if (permissionDecision === 'deny') throw new Error(permissionDecisionReason);
    },
    event: async ({ event }) => {
      if (event.type !== 'session.idle') return;
      const { sessionID } = event.properties;
      reminders.set(sessionID, undefined);
      const answer = await ask('stop', about(sessionID));
      if (answer?.decision === 'block') await prompt(sessionID, answer.reason);
    },
  };
};

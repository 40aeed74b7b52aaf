// What `deepwork run` needs: the engine, an HTTP server, the loop of turns.

export { openProjectBoard } from '../board/open-project-board.ts';
export { openWorkspace } from '../engine/workspace.ts';
export { splitCommand } from '../gate/split-command.ts';
export { installedPresets } from '../run/agent.ts';
export { openReport } from '../run/report.ts';
export { inputsOfRun } from '../run/start-session.ts';
export { EXIT_CODES, runUnattended } from '../run/unattended.ts';
export { openHttpService } from '../server/http/serve.ts';
export { stderrLog } from '../server/log.ts';
export { GOAL_FILE } from '../team/agents.ts';

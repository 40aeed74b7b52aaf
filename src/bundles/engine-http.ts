// Everything an HTTP server needs, in a bundle of its own: for `serve`, for `run`, which has a server
// for its agents, and for the commands that steer runs.

export { openProjectBoard } from '../board/open-project-board.ts';
export { abortByPerson, sendBackByPerson, stopByPerson } from '../engine/steer.ts';
export { openWorkspace } from '../engine/workspace.ts';
export { splitCommand } from '../gate/split-command.ts';
export { openPage } from '../page/api/page.ts';
export { installedPresets } from '../run/agent.ts';
export { openReport } from '../run/report.ts';
export { inputsOfRun } from '../run/start-session.ts';
export { EXIT_CODES, runUnattended } from '../run/unattended.ts';
export { openHttpService } from '../server/http/serve.ts';
export { stderrLog } from '../server/log.ts';
export { GOAL_FILE } from '../team/agents.ts';

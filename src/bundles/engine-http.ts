// Everything an HTTP server needs, in a bundle of its own.

export { openProjectBoard } from '../board/project-board.ts';
export { openWorkspace } from '../engine/workspace.ts';
export { openPage } from '../page/api/page.ts';
export { openHttpService } from '../server/http/serve.ts';
export { stopRequested } from '../server/stop.ts';

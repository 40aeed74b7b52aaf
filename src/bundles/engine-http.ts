// Everything an HTTP server needs, in a bundle of its own; commands that steer runs use it, too.

export { openProjectBoard } from '../board/open-project-board.ts';
export { abortByPerson, sendBackByPerson, stopByPerson } from '../engine/steer.ts';
export { openWorkspace } from '../engine/workspace.ts';
export { openPage } from '../page/api/page.ts';
export { openHttpService } from '../server/http/serve.ts';

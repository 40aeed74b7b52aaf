// Everything that a server over HTTP needs, in one bundle of its own.

export { openWorkspace } from '../engine/workspace.ts';
export { openHttpService } from '../server/http/serve.ts';
export { toldToStop } from '../server/stop.ts';

// Everything heavy, in one bundle of its own: the MCP SDK, the operations, the
// definitions. `main.ts` and the commands load it only when they need it.

export { jobFolders } from './definitions/folders.ts';
export { guideFolders } from './definitions/guides/folders.ts';
export { lintFolders } from './definitions/lint.ts';
export { splitCommand } from './gate/split-command.ts';
export { commandList, commandOfAgent } from './operations/command-list.ts';
export { declaredOutputs } from './operations/declared-outputs.ts';
export { dismissEnded } from './operations/ended-questions.ts';
export { FACES } from './operations/faces.ts';
export { otherFolders } from './operations/project-folders.ts';
export { lookThrough, openQuarantine } from './operations/quarantine.ts';
export { findOperation, operations, operationsFor } from './operations/table.ts';
export { trustReport } from './operations/trust-report.ts';
export { openWorkspace } from './operations/workspace.ts';
export { createMcpServer } from './server/mcp.ts';
export { stdioSpeaker } from './server/speaker.ts';
export { serveOverStdio } from './server/stdio.ts';
export { callTool, listTools } from './server/tools.ts';
export { lintGiven, lintSettings } from './team/lint-settings.ts';

import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';

/** Versions that open with `initialize`, and those that need no handshake. */
export const STATELESS_VERSIONS: readonly string[] = ['2026-07-28'];
export const HANDSHAKE_VERSIONS: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS.filter(
  (version) => !STATELESS_VERSIONS.includes(version),
);

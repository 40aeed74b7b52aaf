// Everything heavy, in one bundle of its own: the MCP SDK, the operations, the
// definitions. `main.ts` and the commands load it only when they need it.

export { jobFolders } from '../definitions/folders.ts';
export { guideFolders } from '../definitions/guides/folders.ts';
export { lintFolders } from '../definitions/lint.ts';
export { commandList, commandOfAgent } from '../engine/command-list.ts';
export { declaredOutputs } from '../engine/declared-outputs.ts';
export { dismissEnded } from '../engine/ended-questions.ts';
export { otherFolders } from '../engine/project-folders.ts';
export { lookThrough, openQuarantine } from '../engine/quarantine.ts';
export { trustReport } from '../engine/trust-report.ts';
export { openWorkspace } from '../engine/workspace.ts';
export { splitCommand } from '../gate/split-command.ts';
export { findOperation, operations, operationsFor } from '../operations/table.ts';
export { TOOLSETS } from '../operations/toolsets.ts';
export { stdioCaller } from '../server/caller-identity.ts';
export { createMcpServer } from '../server/mcp.ts';
export { serveOverStdio } from '../server/stdio.ts';
export { callTool, listTools } from '../server/tools.ts';
export { lintGiven, lintSettings } from '../team/lint-settings.ts';

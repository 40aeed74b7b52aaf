// Everything that is slow to load: the MCP SDK, the operations, the definitions. Commands load it
// only when they need it.

export { guideFolders, jobFolders } from '../definitions/folders.ts';
export { lintFolders, lintPaths } from '../definitions/lint.ts';
export { describePath } from '../definitions/proofs/path-events.ts';
export { voidWarnings } from '../engine/entries/approval-files.ts';
export { dismissEnded } from '../engine/person/ended-questions.ts';
export { otherFolders } from '../engine/project-folders.ts';
export { listStartable } from '../engine/prompts.ts';
export { openQuarantine, readAllStreams } from '../engine/quarantine.ts';
export { declaredInputs } from '../engine/start-inputs.ts';
export { declaredContext, declaredContextOfStart } from '../engine/step/declared-context.ts';
export { declaredOutputs } from '../engine/step/declared-outputs.ts';
export { commandList, commandOfAgent } from '../engine/trust/command-trust.ts';
export { trustReport } from '../engine/trust/trust-report.ts';
export { openWorkspace } from '../engine/workspace.ts';
export { splitCommand } from '../gate/split-command.ts';
export { findOperation, operations, operationsFor } from '../operations/table.ts';
export { TOOLSETS } from '../operations/toolsets.ts';
export { stdioCaller } from '../server/caller-identity.ts';
export { createMcpServer } from '../server/mcp.ts';
export { serveOverStdio } from '../server/stdio.ts';
export { callTool, listTools } from '../server/tools.ts';
export { simulate } from '../simulate/simulate.ts';
export { lintSettings } from '../team/lint-settings.ts';

// What `deepwork init` needs. A bundle of its own, because it contains parsers for JSON with comments
// and for TOML.

export { CLIENT_IDS, CLIENTS } from '../init/clients.ts';
export { CONFIG_PATH, configText } from '../init/config-template.ts';
export { diffLines } from '../init/diff.ts';
export { findClients, isClaudeInstalled } from '../init/find-clients.ts';
export { ownProgram } from '../init/own-program.ts';
export { planInit, planUndo, recordIn } from '../init/plan.ts';
export { openProjectFiles } from '../init/project-files.ts';
export { RECORD_PATH } from '../init/record.ts';
export { JOBS_PATH, jobNames, TEMPLATES, templateFiles } from '../init/templates.ts';
export { writePlan } from '../init/write-plan.ts';

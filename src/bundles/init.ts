// What `deepwork init` needs, in one bundle of its own: it brings parsers of JSON with comments
// and of TOML, which no other command pays for.

export { CLIENT_IDS, CLIENTS } from '../init/clients.ts';
export { CONFIG_PATH, CONFIG_TEXT } from '../init/config-text.ts';
export { diffLines } from '../init/diff.ts';
export { findClients } from '../init/find-clients.ts';
export { ownProgram } from '../init/own-program.ts';
export { planInit, planUndo, recordIn } from '../init/plan.ts';
export { openProjectFiles } from '../init/project-files.ts';
export { RECORD_PATH } from '../init/record.ts';
export { hasJobs, JOBS_PATH, TEMPLATES, templateFiles } from '../init/templates.ts';
export { writePlan } from '../init/write-plan.ts';

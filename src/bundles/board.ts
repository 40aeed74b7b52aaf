// What the commands need that show runs and manage their records. A bundle without the MCP SDK and
// the engine, so that `deepwork status` starts at once.

export { archivesOf } from '../board/archived-runs.ts';
export { drawDot } from '../board/drawing/draw-dot.ts';
export { drawHtml } from '../board/drawing/draw-html.ts';
export { drawMermaid } from '../board/drawing/draw-mermaid.ts';
export { drawSvg } from '../board/drawing/draw-svg.ts';
export { drawText } from '../board/drawing/draw-text.ts';
export { layOut } from '../board/drawing/layout.ts';
export { PHONE, SCREEN, TERMINAL } from '../board/drawing/medium.ts';
export { exportPage } from '../board/export/export-page.ts';
export {
  agentsMaySkipReviews,
  openDefinitions,
  openProjectBoard,
} from '../board/open-project-board.ts';
export {
  copyJournal,
  namesInFiles,
  openDatabaseOfProject,
  warningsOfStore,
} from '../board/stores-of-project.ts';
export { chooseFiles, verifyDatabase, verifyJournal } from '../board/verify-journal.ts';
export { findToDraw } from '../board/workflow-to-draw.ts';
export { keyFile, knownJournalKey } from '../environment/signing-key.ts';
export { pruneSessions } from '../sessions/prune.ts';

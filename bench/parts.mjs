// The parts of the product that the bench uses directly. Bundled from the sources by
// `stage.mjs`, never run directly.

export { default as postgres } from 'postgres';
export { evolve } from '../src/core/session/evolve.ts';
export { openLibrary } from '../src/definitions/jobs/library.ts';
export { lintPaths } from '../src/definitions/lint.ts';
export { journalKey } from '../src/environment/signing-key.ts';
export { openFileJournal } from '../src/journal/file.ts';
export { realFileLayer } from '../src/journal/file-layer.ts';
export { checkEvent, NO_HASH as noHash, writeLine } from '../src/journal/line.ts';
export { openPostgresStore } from '../src/journal/postgres/open.ts';
export { sealOf } from '../src/journal/seal.ts';
export { openKnowledge } from '../src/knowledge/knowledge.ts';
export { openEndedIndex } from '../src/sessions/ended-index.ts';
export { openViews } from '../src/sessions/views.ts';
export { findChromium } from '../test/support/find-chromium.ts';
export { startPostgres } from '../test/support/postgres-server.ts';

// The parts of the product that the bench works with directly. It is bundled from the
// sources as they are (`stage.mjs`) and never run as it stands.

export { openLibrary } from '../src/definitions/library.ts';
export { journalKey } from '../src/environment/signing-key.ts';
export { openFileJournal } from '../src/journal/file.ts';
export { realFileLayer } from '../src/journal/file-layer.ts';
export { openKnowledge } from '../src/knowledge/knowledge.ts';

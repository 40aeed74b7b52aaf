import { describeJournal } from './conformance.ts';
import { openMemoryJournal } from './memory.ts';

describeJournal('in memory', async () => openMemoryJournal());

import { describeJournal } from '../../test/support/journal-conformance.ts';
import { openMemoryJournal } from './memory.ts';

describeJournal('in memory', async () => openMemoryJournal());

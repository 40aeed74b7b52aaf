import { type FileLayer } from './file-layer.ts';
import type { Journal } from './journal.ts';
export declare function openFileJournal(folder: string, layer?: FileLayer): Journal;

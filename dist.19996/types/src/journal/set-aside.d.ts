import type { FileLayer } from './file-layer.ts';
import type { Damage } from './fold.ts';
import type { Folders } from './folders.ts';
import { StreamDamaged } from './journal.ts';
export interface SetAside {
    /** Moves the file with this identity away; gives back the error to throw. */
    take(stream: string, identity: string, damage: Damage): Promise<StreamDamaged>;
    /** Names of what was set aside of a stream, relative to the journal's folder. */
    list(stream: string): Promise<string[]>;
}
export declare function openSetAside(root: string, layer: FileLayer, folders: Folders): SetAside;

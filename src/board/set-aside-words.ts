// Why a journal that was set aside cannot be shown, and where it is now.

import type { SetAsideStream } from '../journal/journal.ts';
import { keptPlace } from '../journal/stream-name.ts';

export function setAsideBecause(why: SetAsideStream['why'], kept: string): string {
  const what = why === 'damaged' ? 'it was altered or cut' : 'this user did not write it here';
  return `${what}; set aside as ${keptPlace(kept)}`;
}

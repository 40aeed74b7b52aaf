// Why a journal that was set aside cannot be shown, and where it is now.

import type { SetAsideStream } from '../journal/journal.ts';
import type { DamagedRun } from './run.ts';

const FOREIGN = 'this user did not write it here';
const PLACE = '; set aside as .deepwork/journal/';

export function setAsideBecause(why: SetAsideStream['why'], kept: string): string {
  const what = why === 'damaged' ? 'it was altered or cut' : FOREIGN;
  return `${what}${PLACE}${kept}`;
}

/** Whether it is out of the way already. */
export function isSetAside({ why }: DamagedRun): boolean {
  return why.includes(PLACE);
}

/** Whether it is a person's to take over, if they know whose it is. */
export function isQuarantined(run: DamagedRun): boolean {
  return isSetAside(run) && run.why.startsWith(FOREIGN);
}

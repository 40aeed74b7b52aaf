// Why a journal that was set aside cannot be shown, and where it is now.

import type { SetAsideStream } from '../journal/journal.ts';
import type { DamagedRun } from './run.ts';

const FOREIGN = 'this user did not write it here';
const PLACE = '; set aside as .deepwork/journal/';

export function setAsideBecause(why: SetAsideStream['why'], kept: string): string {
  const what = why === 'damaged' ? 'it was altered or cut' : FOREIGN;
  return `${what}${PLACE}${kept}`;
}

/** Whether it was set aside already. */
export function isSetAside({ why }: DamagedRun): boolean {
  return why.includes(PLACE);
}

/** Whether a person may take it over, if it is theirs. */
export function isQuarantined(run: DamagedRun): boolean {
  return isSetAside(run) && run.why.startsWith(FOREIGN);
}

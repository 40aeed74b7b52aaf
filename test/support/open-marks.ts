// Marks of open sessions in memory, for stores without a folder.

import type { OpenMarks } from '../../src/sessions/open-marks.ts';

export function marksIn(marked: Set<string> = new Set()): OpenMarks {
  return {
    add: (id) => void marked.add(id),
    remove: (id) => void marked.delete(id),
    list: () => [...marked],
    setComplete: () => {},
    isOld: () => false,
  };
}

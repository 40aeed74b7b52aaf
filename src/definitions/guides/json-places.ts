// Where the values of a JSON text were written. Kept apart from the values themselves,
// so that whoever checks a definition looks at plain data, and the place of a problem is
// looked up by its path.

/** A number or text or the like is known by its offset alone. */
export type Place = number | ObjectPlace | ListPlace;

interface ObjectPlace {
  readonly kind: 'object';
  readonly at: number;
  /** As written: a key that stands there twice is here twice. */
  readonly members: readonly MemberPlace[];
}

export interface MemberPlace {
  readonly key: string;
  readonly keyAt: number;
  readonly place: Place;
}

interface ListPlace {
  readonly kind: 'list';
  readonly at: number;
  readonly items: readonly Place[];
}

/** Keys and indexes, from the root down. */
export type Path = readonly (string | number)[];

const MAX_POINTER_LENGTH = 1000;

/** The offset of the value at `path`, or of its key; as near to it as the text reaches. */
export function locate(root: Place, path: Path, target: 'key' | 'value'): number {
  let here: Place = root;
  let at = offsetOf(root);
  for (const part of path) {
    if (typeof here === 'number') return at;
    if (here.kind === 'object') {
      // Of a key that is written twice the last one counts, as everywhere in JavaScript.
      const member = here.members.findLast(({ key }) => key === part);
      if (!member) return at;
      here = member.place;
      at = target === 'key' ? member.keyAt : offsetOf(here);
    } else {
      const item: Place | undefined = here.items[Number(part)];
      if (item === undefined) return at;
      here = item;
      at = offsetOf(item);
    }
  }
  return at;
}

function offsetOf(place: Place): number {
  return typeof place === 'number' ? place : place.at;
}

/** The path as a JSON Pointer, cut to size: a hostile file can have keys of a megabyte. */
export function pointerTo(path: Path): string {
  let pointer = '';
  for (const part of path) {
    const step = String(part).slice(0, MAX_POINTER_LENGTH);
    pointer += `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (pointer.length > MAX_POINTER_LENGTH) return `${pointer.slice(0, MAX_POINTER_LENGTH)}…`;
  }
  return pointer;
}

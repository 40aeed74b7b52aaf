// The texts of the items of a list, joined, as bytes. A list that is written again and again while it
// grows, or moves on like a window, keeps the bytes of what has not changed: only new items cost
// anything. Items are compared by identity, so they must never be modified.

export type JoinedTexts<Item> = (items: readonly Item[]) => Uint8Array;

/** The bytes are valid until the next call. */
export function openJoinedTexts<Item>(
  separator: string,
  textOf: (item: Item) => string,
): JoinedTexts<Item> {
  const skipped = Buffer.byteLength(separator);
  let known: readonly Item[] = [];
  /** Where the separator before each known item begins in `bytes`, and where the last one ends. */
  let places = [0];
  let bytes = Buffer.alloc(0);

  /** Keeps the known items from `first` on, up to `last`, and makes room for more. */
  function keep(first: number, last: number, room: number): void {
    const [from, to] = [places[first] as number, places[last] as number];
    places = places.slice(first, last + 1);
    if (to + room <= bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (to - from + room));
    bytes.copy(larger, 0, from, to);
    bytes = larger;
    places = places.map((place) => place - from);
  }

  return (items) => {
    const first = Math.max(0, known.indexOf(items[0] as Item));
    let same = 0;
    while (same < items.length && items[same] === known[first + same]) same += 1;
    const added = items
      .slice(same)
      .map((item) => separator + textOf(item))
      .map((text) => ({ text, size: Buffer.byteLength(text) }));
    keep(
      first,
      first + same,
      added.reduce((sum, { size }) => sum + size, 0),
    );
    for (const { text, size } of added) {
      const at = places.at(-1) as number;
      bytes.write(text, at);
      places.push(at + size);
    }
    known = items;
    return items.length === 0
      ? bytes.subarray(0, 0)
      : bytes.subarray((places[0] as number) + skipped, places.at(-1));
  };
}

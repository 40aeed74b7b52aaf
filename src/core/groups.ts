// Collects items by a key. A group grows in place, because the work of copying it for each item would
// grow with the square of its size.

export function addTo<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

/** An item may have several keys, or none. */
export function groupBy<Key, Item>(
  items: Iterable<Item>,
  keysOf: (item: Item) => Iterable<Key>,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) for (const key of keysOf(item)) addTo(groups, key, item);
  return groups;
}

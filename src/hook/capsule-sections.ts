// Texts that share a limited space. Each has a maximum of its own; if they do not fit together, the
// longest are cut to a common length, so that a short one is never cut for a long one.

/** Empty if there is nothing to say. `write` may need a few more characters, for its title. */
export interface Section {
  readonly max: number;
  write(max: number): string;
}

/** The text of each of two groups, its sections one below the other; together at most `room`. */
export function writeSections(
  groups: readonly [readonly Section[], readonly Section[]],
  room: number,
): readonly [string, string] {
  const textOf = (sections: readonly Section[], limit: number) =>
    sections
      .map(({ max, write }) => write(Math.min(max, limit)))
      .filter((text) => text !== '')
      .join('\n');
  const at = (limit: number) => [textOf(groups[0], limit), textOf(groups[1], limit)] as const;
  const fits = (limit: number) => {
    const [one, other] = at(limit);
    return one.length + other.length <= room;
  };
  let high = Math.max(...groups.flat().map(({ max }) => max));
  if (fits(high)) return at(high);
  let low = 0;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return at(low);
}

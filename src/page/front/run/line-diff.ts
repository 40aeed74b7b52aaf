// The change between two texts, line by line, by their longest common subsequence; if that would take
// too long, the differing part counts as replaced.

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  /** Its number in the new text, or in the old one if it was removed. */
  readonly line: number;
}

/** How many unchanged lines are shown around a change. */
const CONTEXT = 3;
const MAX_CELLS = 4_000_000;

export interface DiffGap {
  readonly kind: 'gap';
  readonly lines: number;
}

export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  ) {
    end += 1;
  }
  const changed = diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end), start);
  const same = (text: string, index: number): DiffLine => ({ kind: 'same', text, line: index + 1 });
  return [
    ...b.slice(0, start).map(same),
    ...changed,
    ...b.slice(b.length - end).map((text, index) => same(text, b.length - end + index)),
  ];
}

function diffMiddle(a: readonly string[], b: readonly string[], offset: number): DiffLine[] {
  const removed = (i: number): DiffLine => ({
    kind: 'removed',
    text: a[i] ?? '',
    line: offset + i + 1,
  });
  const added = (j: number): DiffLine => ({
    kind: 'added',
    text: b[j] ?? '',
    line: offset + j + 1,
  });
  const width = b.length + 1;
  if (a.length * b.length > MAX_CELLS) {
    return [...a.map((_, i) => removed(i)), ...b.map((_, j) => added(j))];
  }
  // Length of the longest common subsequence of a[i…] and b[j…].
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: b[j] ?? '', line: offset + j + 1 });
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(i));
      i += 1;
    } else {
      lines.push(added(j));
      j += 1;
    }
  }
  return lines;
}

/** Replaces lines far from any change by a gap. */
export function withGaps(lines: readonly DiffLine[]): (DiffLine | DiffGap)[] {
  const near = lines.map(() => false);
  lines.forEach(({ kind }, index) => {
    if (kind === 'same') return;
    const last = Math.min(lines.length - 1, index + CONTEXT);
    for (let k = Math.max(0, index - CONTEXT); k <= last; k += 1) near[k] = true;
  });
  const shown: (DiffLine | DiffGap)[] = [];
  let left = 0;
  const close = () => {
    if (left > 0) shown.push({ kind: 'gap', lines: left });
    left = 0;
  };
  lines.forEach((line, index) => {
    if (near[index]) {
      close();
      shown.push(line);
    } else {
      left += 1;
    }
  });
  close();
  return shown;
}

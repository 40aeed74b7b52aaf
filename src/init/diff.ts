// The difference between two texts as a unified diff, line by line.

const CONTEXT = 3;
/** Larger differences are shown as one removal and one insertion. */
const MAX_CELLS = 4_000_000;

export interface DiffLine {
  readonly sign: ' ' | '+' | '-' | '@';
  readonly text: string;
}

/** Null stands for a file that does not exist. */
export function diffLines(before: string | null, after: string | null): readonly DiffLine[] {
  const a = linesOf(before);
  const b = linesOf(after);
  return inHunks(compare(a, b));
}

/** `\r` stays part of its line, so that a changed line ending is visible. */
function linesOf(text: string | null): string[] {
  if (text === null || text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop()}\n\\ No newline at end of file`);
  return lines;
}

function compare(a: readonly string[], b: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end))
    end++;
  const middle = compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...a.slice(0, start).map(as(' ')), ...middle, ...a.slice(a.length - end).map(as(' '))];
}

const as = (sign: DiffLine['sign']) => (text: string) => ({ sign, text });

/** Finds the longest common subsequence. */
function compareMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > MAX_CELLS) return [...a.map(as('-')), ...b.map(as('+'))];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] as number;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i] as string });
      i++;
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: a[i++] as string });
    } else {
      lines.push({ sign: '+', text: b[j++] as string });
    }
  }
  return lines;
}

function inHunks(all: readonly DiffLine[]): DiffLine[] {
  const isNear = all.map((_, index) =>
    all.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  );
  const hunks: DiffLine[] = [];
  let oldLine = 1;
  let newLine = 1;
  for (const [index, line] of all.entries()) {
    if (isNear[index]) {
      if (!isNear[index - 1]) {
        const length = isNear.indexOf(false, index);
        const hunk = all.slice(index, length === -1 ? undefined : length);
        hunks.push({ sign: '@', text: header(hunk, oldLine, newLine) });
      }
      hunks.push(line);
    }
    if (line.sign !== '+') oldLine++;
    if (line.sign !== '-') newLine++;
  }
  return hunks;
}

function header(hunk: readonly DiffLine[], oldLine: number, newLine: number): string {
  const count = (sign: '+' | '-') =>
    hunk.filter((line) => line.sign === ' ' || line.sign === sign).length;
  const side = (line: number, lines: number) => `${lines === 0 ? line - 1 : line},${lines}`;
  return `@@ -${side(oldLine, count('-'))} +${side(newLine, count('+'))} @@`;
}

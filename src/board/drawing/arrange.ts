// Gives every box its place: a sequence runs downwards along one axis, and concurrent steps are in
// rows inside a frame, as many to a row as fit. Frames nest, so an entry that groups others is a
// frame that contains a sequence. Every line is straight, along the axis.

import type { BoxState, DrawnBox, DrawnLine, TextLine } from './drawing.ts';
import type { Medium } from './medium.ts';
import { oneLine, wrap } from './text-width.ts';

export type DrawnItem = BoxItem | FrameItem;

export interface BoxItem {
  readonly kind: 'start' | 'end' | 'step';
  readonly id: string;
  readonly step: string | null;
  readonly label: string;
  readonly notes: readonly string[];
  readonly state: BoxState | null;
}

export interface FrameItem {
  readonly kind: 'frame';
  readonly id: string;
  readonly label: string;
  readonly state: BoxState | null;
  readonly inside: 'sequence' | 'side by side';
  readonly items: readonly DrawnItem[];
}

/** Placed from its own upper left corner; `axis` is where lines meet it. */
interface Block {
  readonly width: number;
  readonly height: number;
  readonly axis: number;
  readonly boxes: readonly DrawnBox[];
  readonly lines: readonly DrawnLine[];
}

const MAX_LABEL_LINES = 4;
const MAX_NOTE_LINES = 3;

export function arrange(items: readonly DrawnItem[], medium: Medium): Omit<Block, 'axis'> {
  return sequence(items, medium, medium.width);
}

function sequence(items: readonly DrawnItem[], medium: Medium, width: number): Block {
  const steps = items.filter((item): item is BoxItem => item.kind === 'step');
  const stepWidth = Math.max(0, ...steps.map((step) => naturalWidth(step, medium, width)));
  const blocks = items.map((item) =>
    item.kind === 'frame'
      ? framed(item, medium, width)
      : boxed(item, medium, item.kind === 'step' ? stepWidth : naturalWidth(item, medium, width)),
  );
  const axis = Math.max(0, ...blocks.map((block) => block.axis));
  const right = Math.max(0, ...blocks.map((block) => block.width - block.axis));
  const boxes: DrawnBox[] = [];
  const lines: DrawnLine[] = [];
  let y = 0;
  for (const [index, block] of blocks.entries()) {
    const before = items[index - 1];
    if (before !== undefined) {
      const bottom = y + medium.gap.line;
      lines.push({ from: before.id, to: (items[index] as DrawnItem).id, x: axis, top: y, bottom });
      y = bottom;
    }
    const moved = shifted(block, axis - block.axis, y);
    boxes.push(...moved.boxes);
    lines.push(...moved.lines);
    y += block.height;
  }
  return { width: axis + right, height: y, axis, boxes, lines };
}

/** In several rows if they do not fit into one; boxes of a row are equally high. */
function sideBySide(items: readonly DrawnItem[], medium: Medium, width: number): Block {
  const { box, gap } = medium;
  const fitting = Math.max(1, Math.floor((width + gap.x) / (box.min + gap.x)));
  const rows = Math.ceil(items.length / fitting);
  const perRow = Math.ceil(items.length / rows);
  const room = Math.floor((width - (perRow - 1) * gap.x) / perRow);
  const cell = Math.max(
    ...items.map((item) => (item.kind === 'frame' ? room : naturalWidth(item, medium, room))),
  );
  const boxes: DrawnBox[] = [];
  const lines: DrawnLine[] = [];
  let y = 0;
  for (let row = 0; row < rows; row++) {
    const blocks = items
      .slice(row * perRow, (row + 1) * perRow)
      .map((item) =>
        item.kind === 'frame' ? framed(item, medium, cell) : boxed(item, medium, cell),
      );
    const height = Math.max(...blocks.map((block) => block.height));
    if (row > 0) y += gap.rows;
    for (const [column, block] of blocks.entries()) {
      const moved = shifted(block, column * (cell + gap.x), y);
      const [first, ...rest] = moved.boxes;
      if (first !== undefined) boxes.push({ ...first, height }, ...rest);
      lines.push(...moved.lines);
    }
    y += height;
  }
  const total = perRow * cell + (perRow - 1) * gap.x;
  return { width: total, height: y, axis: medium.middle(total), boxes, lines };
}

function framed(item: FrameItem, medium: Medium, width: number): Block {
  const { frame, lineHeight } = medium;
  const room = width - 2 * frame.x;
  const inner =
    item.inside === 'sequence'
      ? sequence(item.items, medium, room)
      : sideBySide(item.items, medium, room);
  const mark = item.state === null ? 0 : medium.mark;
  const label = oneLine(item.label);
  const labelWidth = Math.min(room, medium.measure(label, 'note') + mark);
  const text = wrapped(label, 'note', Math.max(inner.width, labelWidth) - mark, medium);
  const contentWidth = Math.max(inner.width, labelWidth);
  // Every block has its axis in the middle, so shifting never makes one wider than its room.
  const shift = medium.middle(contentWidth) - medium.middle(inner.width);
  const top = frame.y + text.length * lineHeight + (text.length > 0 ? lineHeight / 3 : 0);
  const head = lineHeight === 1 ? Math.floor(top) : top;
  const moved = shifted(inner, frame.x + shift, head);
  const total = contentWidth + 2 * frame.x;
  const own: DrawnBox = {
    id: item.id,
    kind: 'frame',
    step: null,
    parent: null,
    label,
    notes: [],
    text,
    x: 0,
    y: 0,
    width: total,
    height: head + inner.height + frame.y,
    state: item.state,
  };
  const boxes = moved.boxes.map((box) => (box.parent === null ? { ...box, parent: item.id } : box));
  return {
    width: total,
    height: own.height,
    axis: frame.x + shift + inner.axis,
    boxes: [own, ...boxes],
    lines: moved.lines,
  };
}

function boxed(item: BoxItem, medium: Medium, width: number): Block {
  const padding = item.kind === 'step' ? medium.padding : medium.ends;
  const mark = item.state === null ? 0 : medium.mark;
  const label = oneLine(item.label);
  const notes = item.notes.map(oneLine).filter((note) => note !== '');
  const room = width - 2 * padding.x - mark;
  const text = [
    ...wrapped(label, 'label', room, medium),
    ...notes.flatMap((note) => wrapped(note, 'note', room, medium)),
  ];
  const height = 2 * padding.y + text.length * medium.lineHeight;
  const { id, kind, step, state } = item;
  const box: DrawnBox = {
    id,
    kind,
    step,
    parent: null,
    label,
    notes,
    text,
    state,
    x: 0,
    y: 0,
    width,
    height,
  };
  return { width, height, axis: medium.middle(width), boxes: [box], lines: [] };
}

function wrapped(
  text: string,
  role: TextLine['role'],
  width: number,
  medium: Medium,
): readonly TextLine[] {
  const maxLines = role === 'label' ? MAX_LABEL_LINES : MAX_NOTE_LINES;
  const lines = wrap(text, width, (each) => medium.measure(each, role), maxLines);
  return lines.map((each) => ({ role, text: each }));
}

/** As wide as its longest text, within the limits of a box. */
function naturalWidth(item: BoxItem, medium: Medium, width: number): number {
  const padding = item.kind === 'step' ? medium.padding : medium.ends;
  const mark = item.state === null ? 0 : medium.mark;
  const texts = [
    medium.measure(oneLine(item.label), 'label'),
    ...item.notes.map((note) => medium.measure(oneLine(note), 'note')),
  ];
  const wanted = Math.ceil(Math.max(...texts)) + mark + 2 * padding.x;
  const min = item.kind === 'step' ? medium.box.min : 0;
  return Math.min(width, medium.box.max, Math.max(min, wanted));
}

function shifted(block: Block, x: number, y: number): Pick<Block, 'boxes' | 'lines'> {
  return {
    boxes: block.boxes.map((box) => ({ ...box, x: box.x + x, y: box.y + y })),
    lines: block.lines.map((line) => ({
      ...line,
      x: line.x + x,
      top: line.top + y,
      bottom: line.bottom + y,
    })),
  };
}

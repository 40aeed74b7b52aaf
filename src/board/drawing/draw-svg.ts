// A drawing as SVG: stand-alone, with its own colours for light and dark, or for a page that has the
// style sheet itself. `data-step` and `data-state` of a box let a page change what it shows; a
// state is always shown by a sign and a word, too, never by colour alone.

import {
  type BoxState,
  type Drawing,
  type DrawnBox,
  type DrawnLine,
  STATE_WORDS,
} from './drawing.ts';
import { escapeMarkup } from './escape.ts';
import { SCREEN } from './medium.ts';

export const STATE_SIGNS: Readonly<Record<BoxState, string>> = {
  to_do: '○',
  current: '▶',
  accepted: '✓',
  failed: '✗',
  skipped: '–',
};

const LIGHT = `--dw-ground:#fff;--dw-text:#1c2330;--dw-quiet:#5b6472;--dw-line:#8a94a3;--dw-box:#fff;--dw-frame:#f3f5f8;--dw-now:#1f5fd0;--dw-now-box:#e8f0ff;--dw-good:#1a7f4b;--dw-good-box:#eef8f2;--dw-bad:#b3261e;--dw-bad-box:#fdeeed`;
const DARK = `--dw-ground:#14181f;--dw-text:#e6e9ef;--dw-quiet:#a3adbb;--dw-line:#78828f;--dw-box:#1c222b;--dw-frame:#181d25;--dw-now:#8ab4ff;--dw-now-box:#1b2a45;--dw-good:#6fd29b;--dw-good-box:#182a21;--dw-bad:#ff9d94;--dw-bad-box:#331c1b`;

/** Not needed by a page that defines the variables itself. */
export const DRAWING_COLOURS = `.dw{${LIGHT}}@media(prefers-color-scheme:dark){.dw{${DARK}}}`;

export const DRAWING_STYLE = [
  '.dw{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;max-width:100%;height:auto}',
  '.dw text{fill:var(--dw-text);font-size:14px}',
  '.dw .dw-label{font-weight:600}',
  '.dw .dw-note{fill:var(--dw-quiet);font-size:12px}',
  '.dw .dw-mark{font-weight:700;fill:var(--dw-quiet)}',
  '.dw rect{fill:var(--dw-box);stroke:var(--dw-line);stroke-width:1.25}',
  '.dw .dw-frame>rect{fill:var(--dw-frame);stroke-dasharray:4 4}',
  '.dw .dw-line{stroke:var(--dw-line);stroke-width:1.5;fill:none}',
  '.dw .dw-arrow{fill:var(--dw-line)}',
  '.dw [data-state=current]>rect{fill:var(--dw-now-box);stroke:var(--dw-now);stroke-width:3}',
  '.dw [data-state=current]>.dw-mark{fill:var(--dw-now)}',
  '.dw [data-state=accepted]>rect{fill:var(--dw-good-box);stroke:var(--dw-good)}',
  '.dw [data-state=accepted]>.dw-mark{fill:var(--dw-good)}',
  '.dw [data-state=failed]>rect{fill:var(--dw-bad-box);stroke:var(--dw-bad);stroke-width:3}',
  '.dw [data-state=failed]>.dw-mark{fill:var(--dw-bad)}',
  '.dw [data-state=skipped]>rect{stroke-dasharray:2 4}',
  '.dw [data-state=skipped]>.dw-label{fill:var(--dw-quiet);text-decoration:line-through}',
].join('\n');

export interface SvgOptions {
  /** False: the page has `DRAWING_STYLE` already. */
  readonly styled: boolean;
}

const MARGIN = 4;
const RADIUS = 7;
const ARROW = 8;

export function drawSvg(drawing: Drawing, { styled }: SvgOptions): string {
  const [width, height] = [drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN].map(rounded);
  const style = styled ? `<style>${DRAWING_COLOURS}\n${DRAWING_STYLE}</style>` : '';
  const linesTo = new Map(drawing.lines.map((line) => [line.to, lineMarkup(line)]));
  // A frame hides what was painted before it, so each line is painted just before the box it leads
  // to: after the frame around both, and in the order in which a screen reader reads the boxes.
  const boxes = drawing.boxes.flatMap((box) => [linesTo.get(box.id) ?? '', boxMarkup(box)]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="dw" role="group" aria-label="${escapeMarkup(drawing.title)}" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}">`,
    `<title>${escapeMarkup(drawing.title)}</title><desc>${escapeMarkup(describe(drawing))}</desc>`,
    ...[style, ...boxes].filter((each) => each !== ''),
    '</svg>\n',
  ].join('\n');
}

/** The whole drawing in one sentence. */
function describe({ boxes }: Drawing): string {
  const steps = boxes.filter(({ kind }) => kind === 'step');
  const described = steps.map(({ label, state }) =>
    state === null ? label : `${label} (${STATE_WORDS[state]})`,
  );
  return `A workflow of ${steps.length} step${steps.length === 1 ? '' : 's'}: ${described.join('; ')}.`;
}

function lineMarkup({ x, top, bottom }: DrawnLine): string {
  const [at, end] = [rounded(x), rounded(bottom)];
  const half = ARROW / 2;
  return `<path class="dw-line" d="M${at} ${rounded(top)}V${rounded(bottom - ARROW)}"/><path class="dw-arrow" d="M${at} ${end}l-${half}-${ARROW}h${ARROW}z"/>`;
}

function boxMarkup(box: DrawnBox): string {
  const { kind, label, state, step } = box;
  const padding = kind === 'step' ? SCREEN.padding : kind === 'frame' ? SCREEN.frame : SCREEN.ends;
  const x = box.x + padding.x;
  const left = x + (state === null ? 0 : SCREEN.mark);
  const baseline = (index: number) =>
    rounded(box.y + padding.y + (index + 0.75) * SCREEN.lineHeight);
  const lines = box.text.map(
    ({ role, text }, index) =>
      `<text class="dw-${role}" x="${rounded(left)}" y="${baseline(index)}">${escapeMarkup(text)}</text>`,
  );
  const mark =
    state === null
      ? ''
      : `<text class="dw-mark" aria-hidden="true" x="${rounded(x)}" y="${baseline(0)}">${STATE_SIGNS[state]}</text>`;
  const name = state === null ? label : `${label}: ${STATE_WORDS[state]}`;
  const radius = kind === 'start' || kind === 'end' ? box.height / 2 : RADIUS;
  const attributes = [
    `class="dw-${kind}"`,
    ...(step === null ? [] : [`data-step="${escapeMarkup(step)}"`]),
    ...(state === null ? [] : [`data-state="${state}"`]),
    ...(state !== null ? [`data-label="${escapeMarkup(label)}"`] : []),
  ];
  return `<g ${attributes.join(' ')}><title>${escapeMarkup(name)}</title><rect x="${rounded(box.x)}" y="${rounded(box.y)}" width="${rounded(box.width)}" height="${rounded(box.height)}" rx="${rounded(radius)}"/>${mark}${lines.join('')}</g>`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

// A drawing as one self-contained HTML page: the SVG, and below it each step in words, for people who
// cannot see the drawing and for those who want to know more.

import { createHash } from 'node:crypto';
import { DRAWING_COLOURS, DRAWING_STYLE, drawSvg } from './draw-svg.ts';
import { type Drawing, STATE_WORDS } from './drawing.ts';
import { escapeMarkup } from './escape.ts';

const STYLE = `${DRAWING_COLOURS}
:root{color-scheme:light dark}
body{margin:0 auto;max-width:44rem;padding:1.5rem 1rem 3rem;font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
body.dw{background:var(--dw-ground);color:var(--dw-text)}
h1{font-size:1.25rem;margin:0 0 1rem}
figure{margin:0 0 2rem;text-align:center}
ol{padding-left:1.5rem}
@media(max-width:39.99rem){.wide{display:none}}
@media(min-width:40rem){.narrow{display:none}}
li{margin-bottom:.75rem}
li p{margin:0;color:var(--dw-quiet);font-size:.875rem;overflow-wrap:anywhere}
${DRAWING_STYLE}`;

/** `narrow` is the same drawing for a phone. */
export function drawHtml(drawing: Drawing, narrow: Drawing, about: string): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const steps = drawing.boxes.filter(({ kind }) => kind === 'step');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeMarkup(drawing.title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body class="dw">',
    `<h1>${escapeMarkup(drawing.title)}</h1>`,
    ...(about === '' ? [] : [`<p>${escapeMarkup(about)}</p>`]),
    `<figure class="wide">${drawSvg(drawing, { styled: false })}</figure>`,
    `<figure class="narrow">${drawSvg(narrow, { styled: false })}</figure>`,
    '<ol>',
    ...steps.map(({ label, state, notes }) => {
      const word = state === null ? '' : `: ${STATE_WORDS[state]}`;
      const more = notes.map((note) => `<p>${escapeMarkup(note)}</p>`);
      return `<li><b>${escapeMarkup(label)}</b>${word}${more.join('')}</li>`;
    }),
    '</ol>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

// A run as one HTML file: the drawing, the timeline in words, and a player for its events. It loads
// nothing: style and script are inside and pinned by their hashes, everything else is forbidden.
// Without scripts the timeline can still be read.

import { createHash } from 'node:crypto';
import { agentOfRun } from '../agent-names.ts';
import { drawSvg, STATE_SIGNS } from '../drawing/draw-svg.ts';
import { STATE_WORDS } from '../drawing/drawing.ts';
import { escapeMarkup } from '../drawing/escape.ts';
import { END_STATES, layOut } from '../drawing/layout.ts';
import { type Medium, PHONE, SCREEN } from '../drawing/medium.ts';
import type { Run, RunDetail } from '../run.ts';
import { standingOf } from '../run-words.ts';
import { EXPORT_STYLE } from './export-style.ts';
import { type ExportMoment, momentsOf } from './moments.ts';
import { PLAYER_SCRIPT } from './player-script.ts';

export function exportPage(detail: RunDetail): string {
  const { run, workflow } = detail;
  const moments = momentsOf(detail);
  const data = {
    moments,
    steps: workflow.steps.map(({ id, name }) => ({ id, name: name || id })),
    // The state of the end box at the last event.
    end: END_STATES[run.status],
    words: STATE_WORDS,
    signs: STATE_SIGNS,
  };
  const title = `${run.workflow} ${run.session_id}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${sourceOf(EXPORT_STYLE)}; script-src ${sourceOf(PLAYER_SCRIPT)}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="deepwork">
<title>${escapeMarkup(title)}</title>
<style>${EXPORT_STYLE}</style>
</head>
<body class="dw">
${header(run)}
${player(moments.length)}
<main>
<section class="drawing" aria-label="The workflow">
<figure class="wide">${svgOf(detail, SCREEN)}</figure>
<figure class="narrow">${svgOf(detail, PHONE)}</figure>
<p class="quiet">Marks and colours are those of the chosen event, notes those of the whole run.</p>
</section>
<div class="side">
${NOW}
<section class="card" aria-labelledby="timeline-title">
<h2 id="timeline-title">Timeline</h2>
<ol id="timeline">
${moments.map(row).join('\n')}
</ol>
</section>
</div>
<section class="card" id="compare" aria-labelledby="compare-title">
<h2 id="compare-title">Compare two points</h2>
<div class="pair">
<div><label for="from">From</label><select id="from">${options(moments, 0)}</select></div>
<div><label for="to">To</label><select id="to">${options(moments, moments.length - 1)}</select></div>
</div>
<p class="controls"><button type="button" id="from-here">From this event</button><button type="button" id="to-here">To this event</button></p>
<p class="quiet" id="between"></p>
<ul id="changes" aria-live="polite"></ul>
</section>
</main>
<script type="application/json" id="data">${asData(data)}</script>
<script>${PLAYER_SCRIPT}</script>
</body>
</html>
`;
}

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Entities do not work inside a script element, and `<` could end it. */
function asData(data: unknown): string {
  return JSON.stringify(data).replace(/[<\u2028\u2029]/g, (char) => {
    const code = char.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${code}`;
  });
}

/** As of the last event. The player changes marks, but neither notes nor labels. */
function svgOf({ run, workflow }: RunDetail, medium: Medium): string {
  return drawSvg(layOut(run.workflow, workflow, medium, run, 'end'), { styled: false });
}

function header(run: Run): string {
  const standing = standingOf(run);
  const status = run.status === 'active' ? `at step ${run.step}, ${standing}` : standing;
  const agent = agentOfRun(run);
  const facts = [
    `run ${run.session_id}`,
    ...(agent === null ? [] : [`by ${agent}`]),
    `started ${timeOf(run.started_at)}`,
    ...(run.ended_at === null
      ? [`last seen ${timeOf(run.last_activity_at)}`]
      : [`ended ${timeOf(run.ended_at)}`]),
    ...(run.parent_session_id === null ? [] : [`nested in ${run.parent_session_id}`]),
  ];
  return `<header>
<h1>${escapeMarkup(run.workflow)}</h1>
<p class="goal">${escapeMarkup(run.goal)}</p>
<ul class="facts"><li class="status">${escapeMarkup(status)}</li>${facts.map((fact) => `<li>${escapeMarkup(fact)}</li>`).join('')}</ul>
</header>`;
}

function player(count: number): string {
  return `<section id="player" aria-label="Play the run back">
<input type="range" id="slider" min="0" max="${count - 1}" value="${count - 1}" step="1" aria-label="Event">
<div class="controls">
<button type="button" id="first" aria-label="First event">|◀</button>
<button type="button" id="back" aria-label="One event back">◀</button>
<button type="button" id="play">Play</button>
<button type="button" id="on" aria-label="One event on">▶</button>
<button type="button" id="end" aria-label="Last event">▶|</button>
<select id="speed" aria-label="Speed"><option value="2500">slow</option><option value="1200" selected>normal</option><option value="300">fast</option></select>
<p class="quiet"><span id="where"></span> · <span id="when"></span></p>
</div>
</section>`;
}

const NOW = `<section class="card" id="now" aria-live="polite">
<h2>What happened</h2>
<p id="happened"></p>
<pre id="details"></pre>
<p class="quiet" id="by"></p>
<h2>What the agent was last told</h2>
<pre id="feedback" class="quiet"></pre>
</section>`;

const MAX_OPTION = 80;

function options(moments: readonly ExportMoment[], chosen: number): string {
  return moments
    .map(({ seq, text }, index) => {
      const [first = ''] = text.split('\n');
      const short = first.length > MAX_OPTION ? `${first.slice(0, MAX_OPTION)}…` : first;
      const selected = index === chosen ? ' selected' : '';
      return `<option value="${index}"${selected}>${seq}: ${escapeMarkup(short)}</option>`;
    })
    .join('');
}

function row({ seq, at, by, text }: ExportMoment): string {
  const who = by === null ? '' : `, ${by}`;
  const place = escapeMarkup(`Event ${seq}, ${timeOf(at)}${who}`);
  return `<li><button type="button">${place}</button><pre>${escapeMarkup(text)}</pre></li>`;
}

function timeOf(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}

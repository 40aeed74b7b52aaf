// The page of questions. It works without scripts: forms are plain, and while nothing is
// asked it loads itself anew. While somebody may be filling in a form it must not, so there
// a small script looks for news, and loads the page anew only if nothing was typed.

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Outcome, Question } from '../../core/team/state.ts';
import { SCRIPT, STYLE } from './page-parts.ts';

export interface Listing {
  readonly project: string;
  readonly open: readonly Question[];
  readonly recent: readonly Question[];
  readonly version: string;
}

export interface Notice {
  readonly kind: 'done' | 'problem';
  readonly id: string;
  readonly text: string;
}

const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Nothing but our own style and script runs, nobody may frame the page, and browsers name
 * its origin when they post its forms (which `no-referrer` would forbid them).
 */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${sourceOf(STYLE)}`,
    `script-src ${sourceOf(SCRIPT)}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

export function renderPage(
  { project, open, recent, version }: Listing,
  notice: Notice | null,
): string {
  const name = path.basename(project);
  const count = open.length === 0 ? '' : `(${open.length}) `;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${open.length === 0 ? '<meta http-equiv="refresh" content="5; url=/questions">\n' : ''}<title>${count}Questions · ${escaped(name)}</title>
<style>${STYLE}</style>
</head>
<body data-version="${escaped(version)}">
<header>
<h1>Questions</h1>
<p class="project">${escaped(project)}</p>
</header>
<main>
${notice === null ? '' : renderNotice(notice)}<p id="news" role="status" hidden>Something has changed. <a href="/questions">Show it</a></p>
<section aria-labelledby="open">
<h2 id="open">${open.length === 0 ? 'Nothing is being asked' : 'Waiting for you'}</h2>
${open.length === 0 ? '<p class="empty">This page shows the next question by itself.</p>' : open.map(renderOpen).join('\n')}
</section>
${recent.length === 0 ? '' : `<section aria-labelledby="recent">\n<h2 id="recent">Answered</h2>\n<ol class="recent">\n${recent.map(renderRecent).join('\n')}\n</ol>\n</section>\n`}</main>
<noscript><p class="hint">Without scripts this page cannot look for news while a question is open. <a href="/questions">Look now</a></p></noscript>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function renderNotice({ kind, id, text }: Notice): string {
  const role = kind === 'done' ? 'status' : 'alert';
  const link = kind === 'done' ? '' : ` <a href="#${escaped(id)}">${escaped(id)}</a>`;
  return `<p class="notice ${kind}" role="${role}">${escaped(text)}${link}</p>\n`;
}

function renderOpen({ id, question, choices, multiSelect, askedAt }: Question): string {
  const type = multiSelect ? 'checkbox' : 'radio';
  const options = [...new Set(choices)].map(
    (choice, place) =>
      `<label class="choice"><input type="${type}" name="choice" value="${place}"><span>${escaped(choice) || '(blank)'}</span></label>`,
  );
  return `<form class="card" id="${id}" method="post" action="/questions/${id}/answer" autocomplete="off">
<fieldset>
<legend>${escaped(question).trim() || '(no text)'}</legend>
<p class="about">${id} · asked ${renderTime(askedAt)}${multiSelect ? ' · several choices' : ''}</p>
${options.join('\n')}
</fieldset>
<label class="field" for="${id}-other">In your own words</label>
<textarea id="${id}-other" name="other" rows="2" maxlength="16384"></textarea>
<div class="actions">
<label class="field inline" for="${id}-by">Your name</label>
<input id="${id}-by" name="by" maxlength="200" placeholder="optional" autocomplete="name">
<button class="primary">Answer</button>
<button formaction="/questions/${id}/dismiss">Dismiss</button>
</div>
</form>`;
}

function renderRecent({ id, question, outcome }: Question): string {
  if (outcome.kind === 'open') return '';
  const { by, route, at } = outcome;
  return `<li><p class="asked">${escaped(question).trim() || '(no text)'}</p>
<p class="said">${said(outcome)}</p>
<p class="about">${id} · ${outcome.kind} by ${escaped(by)} · ${escaped(route)} · ${renderTime(at)}</p></li>`;
}

function said(outcome: Outcome): string {
  if (outcome.kind !== 'answered') return '<em>no answer</em>';
  const { choices, other } = outcome;
  const parts = choices.map((choice) => `<b>${escaped(choice)}</b>`);
  return [...parts, ...(other === null ? [] : [`“${escaped(other)}”`])].join(', ');
}

function renderTime(at: string): string {
  const [day = '', time = ''] = at.split('T');
  return `<time datetime="${escaped(at)}">${escaped(`${day} ${time.slice(0, 5)} UTC`)}</time>`;
}

const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Direction marks could make a choice look like another one. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (char) => SPECIAL[char] as string)
    .replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
      '\ufffd',
    );
}

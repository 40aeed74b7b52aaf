// The questions page. It works without scripts: it is one plain form, so that answering one
// question also submits what was typed into the others, and the next page shows it again.
// While there are no questions it reloads itself. With questions it must not, because someone may be
// filling it in; then a small script checks for changes, and reloads only if nothing was typed.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { showInvisible } from '../../core/invisible-characters.ts';
import type { Outcome, Question } from '../../core/team/state.ts';
import { TIMES } from '../../core/wording.ts';
import type { ShownFile } from '../../engine/entries/approval-files.ts';
import { type AnswerDraft, fieldName, hasDraft, type PageForm } from './body.ts';
import { SCRIPT, STYLE } from './page-parts.ts';

export interface QuestionListing {
  readonly project: string;
  readonly open: readonly Question[];
  /** The files to approve, by the id of their question. */
  readonly files: ReadonlyMap<string, readonly ShownFile[]>;
  readonly recent: readonly Question[];
  readonly version: string;
  /** Who answers if no name is given. */
  readonly user: string;
  /** What was typed so far. */
  readonly form: PageForm;
}

export interface Notice {
  /** `void`: recorded, without effect. */
  readonly kind: 'done' | 'void' | 'problem';
  /** The question it concerns. */
  readonly id: string | null;
  readonly text: string;
}

const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Only our own style and script are allowed, no site may frame the page, and browsers send its
 * origin when they post its forms (which `no-referrer` would prevent).
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

export function renderPage(listing: QuestionListing, notice: Notice | null): string {
  const { project, open, recent, version, form } = listing;
  const name = path.basename(project);
  const count = open.length === 0 ? '' : `(${open.length}) `;
  const typed = open.some(({ id }) => hasDraft(form.draft(id)));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${open.length === 0 ? '<meta http-equiv="refresh" content="5; url=/questions">\n' : ''}<title>${count}Questions · ${escaped(name)}</title>
<style>${STYLE}</style>
</head>
<body data-version="${escaped(version)}"${typed ? ' data-typed' : ''}>
<header>
<h1>Questions</h1>
<p class="project">${escaped(project)} · <a href="/">All runs</a></p>
</header>
<main>
${notice === null ? '' : renderNotice(notice)}${open.length === 0 ? NOTHING_ASKED : renderForm(listing, notice?.kind === 'problem' ? notice.id : null)}
${recent.length === 0 ? '' : `<section aria-labelledby="recent">\n<h2 id="recent">Answered</h2>\n<ol class="recent">\n${recent.map(renderRecent).join('\n')}\n</ol>\n</section>\n`}</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

const NOTHING_ASKED = `<section class="empty" aria-labelledby="open">
<h2 id="open">Nothing is being asked</h2>
<p>This page shows the next question by itself.</p>
</section>`;

function renderNotice({ kind, id, text }: Notice): string {
  const role = kind === 'done' ? 'status' : 'alert';
  const link = kind !== 'problem' || id === null ? '' : ` <a href="#${escaped(id)}">Go to it</a>`;
  return `<p class="notice ${kind}" role="${role}">${escaped(text).replace(TIMES, renderTime)}${link}</p>\n`;
}

/**
 * Enter presses a form's first button, which would answer the first question whichever field
 * has the focus; so the first button only refreshes the page.
 */
function renderForm({ open, files, user, form }: QuestionListing, wrong: string | null): string {
  const cards = open.map((question) =>
    renderOpen(
      question,
      files.get(question.id) ?? [],
      form.draft(question.id),
      question.id === wrong,
    ),
  );
  return `<form method="post" action="/questions" autocomplete="off">
<button class="unseen" tabindex="-1" aria-hidden="true"></button>
<p id="news" class="notice" role="status" hidden>Something has changed. <button class="link">Show it</button></p>
<section aria-labelledby="open">
<div class="top">
<h2 id="open">${open.length === 1 ? 'One question waits' : `${open.length} questions wait`} for you</h2>
<p class="who"><label for="by">Your name</label>
<input id="by" name="by" maxlength="200" placeholder="${escaped(user)}" value="${escaped(form.by ?? '')}" autocomplete="name"></p>
</div>
${cards.join('\n')}
</section>
<noscript><p class="hint">Without scripts this page does not update itself. <button class="link">Update now</button></p></noscript>
</form>`;
}

function renderOpen(
  question: Question,
  files: readonly ShownFile[],
  { indexes, other }: AnswerDraft,
  wrong: boolean,
): string {
  const { id, choices, multiSelect, askedAt } = question;
  const type = multiSelect ? 'checkbox' : 'radio';
  const options = [...new Set(choices)].map((choice, index) => {
    const checked = indexes.includes(String(index)) ? ' checked' : '';
    return `<label class="choice"><input type="${type}" name="${fieldName(id, 'choice')}" value="${index}"${checked}><span>${escaped(choice) || '(blank)'}</span></label>`;
  });
  const [title = '', ...rest] = question.question.trim().split('\n');
  const more = rest.join('\n').trim();
  // Browsers drop a leading line break in a textarea, so one is added.
  return `<article class="card${wrong ? ' wrong' : ''}" id="${id}">
<fieldset>
<legend>${escaped(title) || '(no text)'}</legend>
${more === '' ? '' : `<p class="more">${escaped(more)}</p>\n`}<p class="about">${id} · asked ${renderTime(askedAt)}${multiSelect ? ' · several choices' : ''}</p>
${files.map(renderFile).join('')}${options.join('\n')}
</fieldset>
<label class="field" for="${id}-other">In your own words</label>
<textarea id="${id}-other" name="${fieldName(id, 'other')}" rows="2" maxlength="16384">
${escaped(other)}</textarea>
<div class="actions">
<button class="primary" formaction="/questions/${id}/answer">Answer</button>
<button formaction="/questions/${id}/dismiss">Dismiss</button>
</div>
</article>`;
}

/** Browsers drop a leading line break in a pre, too. */
function renderFile({ path: file, text }: ShownFile): string {
  return `<details open><summary>${escaped(file)}</summary><pre tabindex="0">
${escaped(text.replaceAll('\r\n', '\n'))}</pre></details>\n`;
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

/** Invisible characters could make a choice look like another one. */
function escaped(text: string): string {
  return showInvisible(text)
    .replace(/[&<>"']/g, (char) => SPECIAL[char] as string)
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd');
}

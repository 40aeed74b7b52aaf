// The style and the script of the page of questions. Both are allowed by their hash, so
// they hold no value that changes.

export const STYLE = `
:root{--ground:#f6f7f9;--card:#fff;--ink:#1c2128;--soft:#59636e;--line:#d5dae1;--accent:#1f5fbf;--on-accent:#fff;--good:#17693a;--bad:#a32020}
@media (prefers-color-scheme:dark){:root{--ground:#14171c;--card:#1d2229;--ink:#e8ebef;--soft:#a3adb8;--line:#3a424d;--accent:#7db0ff;--on-accent:#10141a;--good:#6fd39a;--bad:#ff9a94}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
header,main,body>noscript p{max-width:44rem;margin:0 auto;padding:0 1rem}
header{padding-top:2rem}
h1{margin:0;font-size:1.6rem}
h2{margin:1.75rem 0 .75rem;font-size:1.05rem;color:var(--soft)}
.project,.about,.hint,.empty{margin:.15rem 0;color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}
.card,.recent li{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1.1rem 1.25rem;margin:0 0 1rem}
.card:target{border-color:var(--accent)}
fieldset{border:0;margin:0 0 .75rem;padding:0;min-width:0}
legend{padding:0;font-size:1.15rem;font-weight:600;white-space:pre-wrap;overflow-wrap:anywhere}
.choice{display:flex;gap:.65rem;align-items:flex-start;padding:.55rem .75rem;margin-top:.5rem;border:1px solid var(--line);border-radius:8px;cursor:pointer}
.choice:has(:checked){border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
.choice span{white-space:pre-wrap;overflow-wrap:anywhere;min-width:0}
.choice input{margin:.3rem 0 0;accent-color:var(--accent);flex:none}
.field{display:block;margin:.25rem 0;font-size:.875rem;color:var(--soft)}
textarea,input:not([type]){width:100%;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--line);border-radius:8px;padding:.5rem .65rem}
.actions{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin-top:.75rem}
.actions input{width:auto;flex:1 1 9rem}
.inline{margin:0}
button{font:inherit;padding:.5rem 1.1rem;border-radius:8px;border:1px solid var(--line);background:var(--card);color:inherit;cursor:pointer}
button.primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent);font-weight:600}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
a{color:var(--accent)}
.notice,#news{margin:1rem 0 0;padding:.65rem .9rem;border:1px solid currentColor;border-radius:8px;overflow-wrap:anywhere}
.done{color:var(--good)}.problem{color:var(--bad)}
.recent{list-style:none;margin:0;padding:0}
.recent li{padding:.75rem 1rem;margin-bottom:.6rem}
.recent p{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}
.asked{color:var(--soft)}
`;

/** Times in the reader's own zone; news every three seconds; what was typed is kept. */
export const SCRIPT = `
for (const time of document.querySelectorAll('time')) {
  time.textContent = new Date(time.dateTime).toLocaleString();
}
let typed = false;
document.addEventListener('input', () => { typed = true; });
async function look() {
  try {
    const answer = await fetch('/api/questions', { headers: { accept: 'application/json' } });
    const news = await answer.json();
    if (answer.ok && news.version !== document.body.dataset.version) {
      if (!typed) return location.replace('/questions');
      document.getElementById('news').hidden = false;
      const open = news.open.map((question) => question.id);
      for (const card of document.querySelectorAll('form.card')) {
        if (!open.includes(card.id)) for (const part of card.elements) part.disabled = true;
      }
    }
  } catch {}
  setTimeout(look, 3000);
}
setTimeout(look, 3000);
`;

// The style and the script of the questions page. Both are allowed by their hash, so they
// must be constant.

export const STYLE = `
:root{--ground:#f4f5f8;--card:#fff;--field:#fff;--ink:#1b2027;--soft:#566070;--line:#d6dbe3;--accent:#1f5fbf;--on-accent:#fff;--tint:#eef4fd;--good:#17693a;--bad:#a32020}
@media (prefers-color-scheme:dark){:root{--ground:#12151a;--card:#1b2027;--field:#12151a;--ink:#e8ebef;--soft:#a3adb8;--line:#39414c;--accent:#7db0ff;--on-accent:#0f1319;--tint:#1f2a3a;--good:#6fd39a;--bad:#ff9a94}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
header,main{max-width:44rem;margin:0 auto;padding:0 1rem}
header{padding-top:2rem}
main{padding-bottom:4rem}
h1{margin:0;font-size:1.5rem;letter-spacing:-.01em}
h2{margin:0;font-size:1rem;font-weight:600;color:var(--soft)}
.project,.about,.hint{margin:.15rem 0;color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}
.top{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;justify-content:space-between;margin:1.75rem 0 .75rem}
.who{display:flex;gap:.6rem;align-items:center;margin:0;color:var(--soft);font-size:.875rem}
.who label{flex:none}
.who input{width:14rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1.25rem;margin:0 0 1rem;box-shadow:0 1px 2px #0000000d}
.card:target{border-color:var(--accent)}
.card.wrong{border-color:var(--bad)}
fieldset{border:0;margin:0 0 .9rem;padding:0;min-width:0}
legend{padding:0;font-size:1.125rem;font-weight:600;line-height:1.4;overflow-wrap:anywhere}
.more{margin:.35rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
summary{cursor:pointer;font-size:.875rem;overflow-wrap:anywhere}
pre{margin:.35rem 0 .75rem;padding:.6rem .8rem;max-height:60vh;overflow:auto;background:var(--ground);border:1px solid var(--line);border-radius:9px;font:.8125rem/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
fieldset .about{margin:.25rem 0 .75rem}
.choice{display:flex;gap:.7rem;align-items:flex-start;min-height:2.75rem;padding:.6rem .8rem;margin-top:.5rem;border:1px solid var(--line);border-radius:9px;cursor:pointer}
.choice:hover{border-color:var(--accent)}
.choice:has(:checked){border-color:var(--accent);background:var(--tint);box-shadow:inset 0 0 0 1px var(--accent)}
.choice:has(:focus-visible){outline:3px solid var(--accent);outline-offset:2px}
.choice span{white-space:pre-wrap;overflow-wrap:anywhere;min-width:0}
.choice input{width:1.1rem;height:1.1rem;margin:.2rem 0 0;accent-color:var(--accent);flex:none}
.choice input:focus-visible{outline:none}
.field{display:block;margin:.25rem 0;font-size:.875rem;color:var(--soft)}
textarea,input:not([type]){width:100%;font:inherit;color:var(--ink);background:var(--field);border:1px solid var(--line);border-radius:9px;padding:.5rem .7rem}
input:not([type]){min-height:2.5rem}
textarea{display:block;resize:vertical;field-sizing:content;min-height:4.2rem;max-height:60vh}
::placeholder{color:var(--soft);opacity:.75}
.actions{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin-top:.9rem}
button{font:inherit;min-height:2.75rem;padding:.4rem 1.2rem;border-radius:9px;border:1px solid var(--line);background:transparent;color:inherit;cursor:pointer}
button:hover{border-color:var(--accent)}
button.primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent);font-weight:600}
button.primary:hover{filter:brightness(1.08)}
button.unseen{position:absolute;width:1px;height:1px;min-height:0;padding:0;border:0;opacity:0}
button.link{min-height:0;padding:0;border:0;color:var(--accent);text-decoration:underline}
:disabled{opacity:.5;cursor:not-allowed}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
a{color:inherit}
.notice{margin:1rem 0 0;padding:.65rem .9rem;background:var(--card);border:1px solid var(--accent);border-left-width:4px;border-radius:9px;overflow-wrap:anywhere}
.done{border-color:var(--good);color:var(--good)}.problem,.void{border-color:var(--bad);color:var(--bad)}
.empty{margin:1.5rem 0 0;padding:2.5rem 1rem;border:1px dashed var(--line);border-radius:12px;text-align:center;color:var(--soft)}
.empty h2{color:var(--ink);font-size:1.125rem}
.empty p{margin:.25rem 0 0}
section>h2{margin:2rem 0 .75rem}
.empty>h2{margin:0}
.recent{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:12px}
.recent li{padding:.8rem 1.25rem}
.recent li+li{border-top:1px solid var(--line)}
.recent p{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}
.recent .said{margin:.15rem 0}
.asked{color:var(--soft)}
@media (max-width:34rem){header{padding-top:1.25rem}.card{padding:1rem}.recent li{padding:.8rem 1rem}.who{width:100%}.who input{flex:1;width:auto;min-width:0}.actions button.primary{flex:1}}
`;

/** Shows times in the reader's zone, and checks for changes every three seconds; keeps typed text. */
export const SCRIPT = `
for (const time of document.querySelectorAll('time')) {
  time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}
let typed = 'typed' in document.body.dataset;
if (location.pathname !== '/questions') history.replaceState(null, '', '/questions');
document.addEventListener('input', () => { typed = true; });
async function look() {
  try {
    const answer = await fetch('/api/questions', { headers: { accept: 'application/json' } });
    const news = await answer.json();
    const open = answer.ok ? news.map((question) => question.id) : [];
    if (answer.ok && open.sort().join(',') !== document.body.dataset.version) {
      if (!typed) return location.replace('/questions');
      document.getElementById('news').hidden = false;
      for (const card of document.querySelectorAll('article.card')) {
        if (open.includes(card.id)) continue;
        for (const part of card.querySelectorAll('input,textarea,button')) part.disabled = true;
      }
    }
  } catch {}
  setTimeout(look, 3000);
}
setTimeout(look, 3000);
`;

// The style of an exported run: one type scale, one unit of space, the drawing's colours by meaning,
// light and dark; one column on a phone, two on a wide screen.

import { DRAWING_COLOURS, DRAWING_STYLE } from '../drawing/draw-svg.ts';

export const EXPORT_STYLE = `${DRAWING_COLOURS}
:root{color-scheme:light dark;--space:.5rem}
*{box-sizing:border-box}
body{margin:0 auto;max-width:80rem;padding:calc(3*var(--space)) calc(2*var(--space)) calc(8*var(--space));background:var(--dw-ground);color:var(--dw-text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:0}
h2{font-size:1.125rem;line-height:1.25;margin:0 0 var(--space)}
p{margin:0}
header{margin-bottom:calc(3*var(--space))}
.goal{font-size:1.125rem;margin:var(--space) 0}
.quiet,.facts{color:var(--dw-quiet);font-size:.875rem}
.facts{display:flex;flex-wrap:wrap;gap:0 calc(2*var(--space));margin:0;padding:0;list-style:none}
.status{font-weight:600;color:var(--dw-text)}
button,select{font:inherit;font-size:.875rem;color:inherit;background:var(--dw-box);border:1px solid var(--dw-line);border-radius:6px;min-height:2.25rem;padding:0 calc(1.5*var(--space));max-width:100%}
button{cursor:pointer}
button:disabled{opacity:.45;cursor:default}
button:focus-visible,select:focus-visible,input:focus-visible{outline:3px solid var(--dw-now);outline-offset:2px}
#play{min-width:5.5rem;font-weight:600;background:var(--dw-now);border-color:var(--dw-now);color:var(--dw-ground)}
#player,#compare{display:none}
.playing #player,.playing #compare{display:block}
#player{position:sticky;top:0;z-index:1;background:var(--dw-ground);border-bottom:1px solid var(--dw-line);padding:var(--space) 0 calc(1.5*var(--space));margin-bottom:calc(3*var(--space))}
#slider{display:block;width:100%;height:2rem;margin:0;accent-color:var(--dw-now)}
.controls{display:flex;flex-wrap:wrap;align-items:center;gap:var(--space)}
.controls .quiet{margin-left:auto;text-align:right}
#where{color:var(--dw-text);font-weight:600}
main{display:grid;gap:calc(4*var(--space));grid-template-columns:minmax(0,1fr)}
section{min-width:0}
figure{margin:0;text-align:center}
.card{background:var(--dw-frame);border-radius:8px;padding:calc(2*var(--space))}
.card+.card,.card+section,section+.card{margin-top:calc(2*var(--space))}
pre{font:inherit;white-space:pre-wrap;margin:0}
#happened{font-weight:600}
#details{font-size:.875rem;margin:.25rem 0}
.card h2:not(:first-child){margin-top:calc(2*var(--space))}
#now{display:none}
.playing #now{display:block}
#feedback{max-height:12rem;overflow:auto}
#timeline{list-style:none;margin:0;padding:0;position:relative}
.playing #timeline{max-height:32rem;overflow:auto;border:1px solid var(--dw-line);border-radius:8px}
#timeline>li{border-left:4px solid transparent;padding:var(--space) calc(1.5*var(--space))}
#timeline>li+li{border-top:1px solid var(--dw-frame)}
#timeline>li[aria-current]{background:var(--dw-now-box);border-left-color:var(--dw-now)}
#timeline>li.later pre{opacity:.55}
#timeline button{all:unset;cursor:pointer;color:var(--dw-quiet);font-size:.8125rem;text-decoration:underline;text-underline-offset:.15em;display:block;padding:.25rem 0}
#timeline button:focus-visible{outline:3px solid var(--dw-now)}
#timeline pre{font-size:.875rem}
#compare label{display:block;font-size:.875rem;color:var(--dw-quiet)}
#compare select{width:100%;display:block;margin-bottom:var(--space)}
#compare .pair{display:grid;gap:var(--space);grid-template-columns:repeat(auto-fit,minmax(14rem,1fr))}
#between{margin-top:calc(2*var(--space))}
#changes{margin:var(--space) 0 0;padding-left:1.25rem}
#changes li{white-space:pre-wrap;font-size:.875rem;margin-bottom:.25rem}
@media(max-width:43.99rem){.wide{display:none}.controls .quiet{margin-left:0;width:100%;text-align:left}#first,#end{display:none}}
@media(min-width:44rem){.narrow{display:none}}
@media(min-width:68rem){main{grid-template:"drawing side" auto "compare side" 1fr/minmax(0,1fr) minmax(22rem,27rem)}.drawing{grid-area:drawing}.side{grid-area:side}#compare{grid-area:compare;align-self:start}}
@media print{#player,#compare,#now{display:none!important}.playing #timeline{max-height:none}}
${DRAWING_STYLE}`;

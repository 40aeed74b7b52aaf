// A drawing as a graph for Graphviz, which lays it out itself. A frame is a cluster; a line to
// it is attached to the first box inside and ends at the frame's edge (`lhead`).

import { type BoxState, type Drawing, type DrawnBox, STATE_WORDS } from './drawing.ts';

const COLOURS: Readonly<Record<BoxState, string>> = {
  to_do: 'color="#8a94a3"',
  current: 'color="#1f5fd0", fillcolor="#e8f0ff", penwidth=3',
  accepted: 'color="#1a7f4b", fillcolor="#eef8f2"',
  failed: 'color="#b3261e", fillcolor="#fdeeed"',
  skipped: 'color="#8a94a3", style="rounded,filled,dashed"',
};

export function drawDot(drawing: Drawing): string {
  const names = new Map(drawing.boxes.map(({ id }, index) => [id, `n${index + 1}`]));
  const nameOf = (id: string) => names.get(id) as string;
  const isFrame = (id: string) =>
    drawing.boxes.some((box) => box.id === id && box.kind === 'frame');

  function inside(parent: string | null, margin: string): string[] {
    return drawing.boxes
      .filter((box) => box.parent === parent)
      .flatMap((box) => {
        if (box.kind !== 'frame') return [`${margin}${nodeOf(box, nameOf(box.id))}`];
        return [
          `${margin}subgraph cluster_${nameOf(box.id)} {`,
          `${margin}  label="${textOf(box.label)}"; style="dashed"; color="#8a94a3";`,
          ...inside(box.id, `${margin}  `),
          `${margin}}`,
        ];
      });
  }

  /** The node that a line to or from this box is attached to. */
  function anchor(id: string): string {
    const first = drawing.boxes.find((box) => box.parent === id);
    return isFrame(id) && first !== undefined ? anchor(first.id) : nameOf(id);
  }

  const lines = drawing.lines.map(({ from, to }) => {
    const ends = [
      ...(isFrame(from) ? [`ltail=cluster_${nameOf(from)}`] : []),
      ...(isFrame(to) ? [`lhead=cluster_${nameOf(to)}`] : []),
    ];
    return `  ${anchor(from)} -> ${anchor(to)}${ends.length > 0 ? ` [${ends.join(', ')}]` : ''};`;
  });
  return [
    'digraph workflow {',
    `  label="${textOf(drawing.title)}"; labelloc=t; rankdir=TB; compound=true;`,
    '  node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="sans-serif"];',
    ...inside(null, '  '),
    ...lines,
    '}',
    '',
  ].join('\n');
}

function nodeOf({ kind, label, notes, state }: DrawnBox, name: string): string {
  const lines = [state === null ? label : `${label} (${STATE_WORDS[state]})`, ...notes];
  const attributes = [
    `label="${lines.map(textOf).join('\\n')}"`,
    ...(kind === 'step' ? [] : ['shape=oval']),
    ...(state === null ? [] : [COLOURS[state]]),
  ];
  return `${name} [${attributes.join(', ')}];`;
}

/** Inside quotes; a backslash in the text must not become an escape sequence of Graphviz. */
function textOf(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}

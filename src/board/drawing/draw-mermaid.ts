// A drawing as a Mermaid flowchart, which lays it out itself. Nodes have names of ours (`n1`), because
// a step may be called `end`, and in texts every character that Mermaid could take for syntax is
// written as its code.

import { type BoxState, type Drawing, type DrawnBox, STATE_WORDS } from './drawing.ts';

const COLOURS: Readonly<Record<BoxState, string>> = {
  to_do: 'fill:#fff,stroke:#8a94a3,color:#1c2330',
  current: 'fill:#e8f0ff,stroke:#1f5fd0,stroke-width:3px,color:#1c2330',
  accepted: 'fill:#eef8f2,stroke:#1a7f4b,color:#1c2330',
  failed: 'fill:#fdeeed,stroke:#b3261e,color:#1c2330',
  skipped: 'fill:#fff,stroke:#8a94a3,stroke-dasharray:2 4,color:#5b6472',
};

export function drawMermaid(drawing: Drawing): string {
  const names = new Map(drawing.boxes.map(({ id }, index) => [id, `n${index + 1}`]));
  const nameOf = (id: string) => names.get(id) as string;

  function inside(parent: string | null, margin: string): string[] {
    return drawing.boxes
      .filter((box) => box.parent === parent)
      .flatMap((box) => {
        if (box.kind !== 'frame') return [`${margin}${nodeOf(box, nameOf(box.id))}`];
        return [
          `${margin}subgraph ${nameOf(box.id)}["${textOf(box.label)}"]`,
          ...inside(box.id, `${margin}  `),
          `${margin}end`,
        ];
      });
  }

  const states = [
    ...new Set(drawing.boxes.flatMap(({ state }) => (state === null ? [] : [state]))),
  ];
  return [
    '---',
    `title: ${JSON.stringify(drawing.title.replace(/[<>]/g, ''))}`,
    '---',
    'flowchart TD',
    ...inside(null, '  '),
    ...drawing.lines.map(({ from, to }) => `  ${nameOf(from)} --> ${nameOf(to)}`),
    ...states.map((state) => `  classDef ${state} ${COLOURS[state]}`),
    '',
  ].join('\n');
}

function nodeOf({ kind, label, notes, state }: DrawnBox, name: string): string {
  const lines = [state === null ? label : `${label} (${STATE_WORDS[state]})`, ...notes];
  const text = lines.map(textOf).join('<br/>');
  const shape = kind === 'step' ? `["${text}"]` : `(["${text}"])`;
  return `${name}${shape}${state === null ? '' : `:::${state}`}`;
}

/** Keeps letters, digits and a few signs; writes anything else as its code. */
function textOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}\p{M} .,_-]/gu, (char) => `#${char.codePointAt(0)};`);
}

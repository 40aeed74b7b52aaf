// deepwork graph: a workflow drawn, or a run with its position. It only reads.

import type { BoxState } from '../board/drawing/drawing.ts';
import type { WorkflowToDraw } from '../board/drawing/layout.ts';
import type { ToDraw } from '../board/workflow-to-draw.ts';
import { loadBundle } from '../bundles/load-bundle.ts';
import { refusalOf } from './answer/answer-outcome.ts';
import { cutTo, wrapWords } from './board/columns.ts';
import { type Colour, screenOf } from './board/screen.ts';
import { readCommandLine, UsageError } from './command-line.ts';
import { GRAPH_HELP } from './help.ts';
import type { Io } from './io.ts';
import { isProject, noProject, projectAt, projectOptions } from './project.ts';
import { printableLine } from './terminal/printable.ts';

export const GRAPH_FORMATS = ['text', 'mermaid', 'dot', 'svg', 'html'] as const;
type Format = (typeof GRAPH_FORMATS)[number];

export async function graph(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'graph', argv, GRAPH_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  const [wanted, ...more] = positionals;
  if (wanted === undefined || more.length > 0) {
    throw new UsageError('graph needs one workflow (job/workflow or a guide) or the id of a run');
  }
  const format = GRAPH_FORMATS.find((each) => each === values.format);
  if (format === undefined) {
    throw new UsageError(`--format ${values.format}: use one of ${GRAPH_FORMATS.join(', ')}`);
  }
  const { agentsMaySkipReviews, openDefinitions, openProjectBoard, findToDraw } =
    loadBundle('board');
  const projectRoot = projectAt(io, values.path);
  const options = projectOptions(io, projectRoot);
  const definitions = openDefinitions(options);
  try {
    const found = await findToDraw(definitions, openProjectBoard(options), wanted).catch(
      (error: unknown) => {
        // Workflows can be drawn anywhere, but a run needs a project.
        const isRun = refusalOf(error)?.code === 'run_unknown';
        throw isRun && !isProject(io, projectRoot) ? noProject(projectRoot, values.path) : error;
      },
    );
    const run = found.run === null ? null : { ...found.run, isMoment: true };
    const isOver = run !== null && run.status !== 'active';
    const marked = !isOver && (await agentsMaySkipReviews(options));
    const workflow = marked ? withSkippableGates(found.workflow) : found.workflow;
    io.stdout.write(drawn(io, { ...found, workflow, run }, format));
    return 0;
  } finally {
    definitions.guides.close();
  }
}

function withSkippableGates({ entries, steps }: WorkflowToDraw): WorkflowToDraw {
  return {
    entries,
    steps: steps.map((step) => {
      const { rules, checks, reviews } = step;
      const isOnlyReviewed = reviews.length > 0 && rules.length + checks.length === 0;
      return isOnlyReviewed ? { ...step, maySkipGate: true } : step;
    }),
  };
}

function drawn(io: Io, found: ToDraw, format: Format): string {
  const { title, about, workflow, run } = found;
  const { layOut, SCREEN, PHONE, ...draw } = loadBundle('board');
  const screen = layOut(title, workflow, SCREEN, run);
  switch (format) {
    case 'text':
      return asText(io, found);
    case 'mermaid':
      return draw.drawMermaid(screen);
    case 'dot':
      return draw.drawDot(screen);
    case 'svg':
      return draw.drawSvg(screen, { styled: true });
    case 'html':
      return draw.drawHtml(screen, layOut(title, workflow, PHONE, run), about);
  }
}

const COLOURS: Readonly<Partial<Record<BoxState, Colour>>> = {
  current: 'cyan',
  accepted: 'green',
  failed: 'red',
  skipped: 'dim',
};

/** The same width as the drawing. */
const COLUMNS = 80;
const MAX_ABOUT = 3 * COLUMNS;

function asText(io: Io, { title, about, workflow, run }: ToDraw): string {
  const { layOut, TERMINAL, drawText } = loadBundle('board');
  const { paint } = screenOf(io);
  const ascii = !hasUnicode(io.env);
  const drawing = drawText(layOut(title, workflow, TERMINAL, run), {
    ascii,
    paint: (state, text) => {
      const colour = COLOURS[state];
      return colour === undefined ? text : paint(colour, text);
    },
  });
  const head = [
    paint('bold', printableLine(title)),
    ...wrapWords(cutTo(printableLine(about), MAX_ABOUT), COLUMNS),
  ];
  const foot = [
    ...(run === null ? [] : ['', ascii ? ASCII_LEGEND : LEGEND]),
    ...(workflow.steps.some((step) => step.maySkipGate)
      ? ['', ...wrapWords(HOW_TO_CLOSE, COLUMNS)]
      : []),
  ];
  const lines = [...head.filter((line) => line !== ''), '', drawing, ...foot];
  return `${lines.join('\n')}\n`;
}

const HOW_TO_CLOSE =
  'Reviews that an agent may skip guard nothing against one that wants to be done: set quality_gate.overrides: person in .deepwork/config.yml';

const LEGEND = '▶ now   ✓ accepted   ✗ turned down   – skipped   ○ to do';
const ASCII_LEGEND = '> now   * accepted   x turned down   - skipped   o to do';

/** By the locale's variables, in the C library's order; Windows and macOS always have it. */
function hasUnicode(env: NodeJS.ProcessEnv): boolean {
  if (process.platform === 'win32' || process.platform === 'darwin') return true;
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}

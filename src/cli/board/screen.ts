// The width, height and colours that a command may use. Colours only on a terminal, and not with
// NO_COLOR; a pipe gets 80 columns.

import { styleText } from 'node:util';
import type { Io } from '../io.ts';

export type Colour = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

export interface Screen {
  readonly width: number;
  /** In lines; null if there is no limit. */
  readonly height: number | null;
  paint(colour: Colour, text: string): string;
}

const WIDTH = 80;
const MIN_WIDTH = 40;

/** `screenOf` decides about colours, not `styleText`. */
const NO_STREAM_CHECK = { validateStream: false };

export function screenOf({ stdout: stream, env }: Pick<Io, 'stdout' | 'env'>): Screen {
  const isTerminal = stream.isTTY === true;
  const isColoured = isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
  return {
    width: isTerminal ? Math.max(MIN_WIDTH, stream.columns || WIDTH) : WIDTH,
    height: isTerminal ? stream.rows || null : null,
    paint: (colour, text) => (isColoured ? styleText(colour, text, NO_STREAM_CHECK) : text),
  };
}

/** As the style of a cell; empty text gets no colour. */
export function paint(screen: Screen, colour: Colour): (text: string) => string {
  return (text) => (text === '' ? text : screen.paint(colour, text));
}

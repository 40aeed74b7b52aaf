// The layout of a workflow: boxes with positions, and lines between them. Terminal, SVG, page and
// export paint the same layout, each in the units of its medium (`medium.ts`); Mermaid and Graphviz
// do their own layout and use only the connections.

import type { StepProgress } from '../run.ts';

export type BoxState = StepProgress['state'];

export interface DrawnBox {
  /** Unique in the drawing. */
  readonly id: string;
  /** A frame has other boxes inside it. */
  readonly kind: 'start' | 'end' | 'step' | 'frame';
  /** The step's id; null if it is not a step. */
  readonly step: string | null;
  /** The frame around it; null at the top. */
  readonly parent: string | null;
  /** Whole texts, for Mermaid and Graphviz, and for screen readers. */
  readonly label: string;
  readonly notes: readonly string[];
  /** The same texts wrapped to the box's width. */
  readonly text: readonly TextLine[];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Null in a drawing without a session. */
  readonly state: BoxState | null;
}

export interface TextLine {
  readonly role: 'label' | 'note';
  readonly text: string;
}

/** Straight down, from the lower edge of one box to the upper edge of the next. */
export interface DrawnLine {
  readonly from: string;
  readonly to: string;
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Drawing {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  /** A frame comes before what is inside it. */
  readonly boxes: readonly DrawnBox[];
  readonly lines: readonly DrawnLine[];
}

/** The words for people. */
export const STATE_WORDS: Readonly<Record<BoxState, string>> = {
  to_do: 'to do',
  current: 'now',
  accepted: 'accepted',
  failed: 'failed',
  skipped: 'skipped',
};

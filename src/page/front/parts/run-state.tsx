// The state of a run as a person reads it: a word, an icon and a colour by meaning.

import type { Run } from '../../../board/run.ts';
import { Icon, type IconName } from './icon.tsx';

export type Meaning = 'need' | 'move' | 'good' | 'bad' | 'quiet';

interface Shown {
  readonly word: string;
  readonly icon: IconName;
  readonly meaning: Meaning;
  /** What it means for a person, in a sentence. */
  readonly why: string;
}

const STATES: Readonly<Record<string, Shown>> = {
  waiting_for_person: {
    word: 'Waits for you',
    icon: 'person',
    meaning: 'need',
    why: 'It is waiting for your answer.',
  },
  gate_running: {
    word: 'Checking',
    icon: 'gate',
    meaning: 'move',
    why: 'Checks or reviews of its last submission are running.',
  },
  orphaned: {
    word: 'Agent gone',
    icon: 'gone',
    meaning: 'need',
    why: "The agent's process is gone. Start the agent again: it continues from here.",
  },
  stalled: {
    word: 'Stalled',
    icon: 'pause',
    meaning: 'need',
    why: 'Nothing has happened for a while, or the agent stopped in spite of reminders. Look at it, or start it again.',
  },
  working: {
    word: 'Working',
    icon: 'play',
    meaning: 'move',
    why: 'The agent is at work.',
  },
  completed: { word: 'Done', icon: 'check', meaning: 'good', why: 'Every step was accepted.' },
  aborted: {
    word: 'Aborted',
    icon: 'stop',
    meaning: 'quiet',
    why: 'It was ended before it was done.',
  },
};

const OUT_OF_QUOTA: Shown = {
  word: 'Waits for quota',
  icon: 'pause',
  meaning: 'move',
  why: 'Its agent is out of quota. The run continues by itself when it has some again.',
};

/** An unattended run; its own part of the page says why, and how to continue it. */
const STOPPED: Shown = {
  word: 'Stopped',
  icon: 'pause',
  meaning: 'need',
  why: 'The unattended run has stopped and waits to be continued.',
};

/** Each `deepwork call` is a process of its own, so no agent is missing. */
const LEFT_OPEN: Shown = {
  word: 'Left open',
  icon: 'pause',
  meaning: 'need',
  why: 'It was last worked on from a terminal, with deepwork call, and is not finished.',
};

type Standing = Pick<Run, 'status' | 'state' | 'unattended' | 'at_terminal'>;

export function stateOf({ status, state, unattended, at_terminal }: Standing): Shown {
  if (unattended?.limit_until != null) return OUT_OF_QUOTA;
  const isIdle = state === 'orphaned' || state === 'stalled';
  if (isIdle && unattended !== undefined) return STOPPED;
  if (state === 'orphaned' && at_terminal) return LEFT_OPEN;
  return (STATES[state ?? status] ?? STATES.working) as Shown;
}

export function RunState({ run }: { readonly run: Run }) {
  const { word, icon, meaning, why } = stateOf(run);
  return (
    <span class={`state ${meaning}`} title={why}>
      <Icon name={icon} />
      {word}
    </span>
  );
}

/** Feedback about an open question tells the agent to wait; a person is shown the question itself. */
export function feedbackForPerson({ last_feedback: feedback, questions }: Run): string | null {
  const isAboutQuestion = questions.some((id) => feedback?.includes(`(${id})`));
  return isAboutQuestion ? null : feedback;
}

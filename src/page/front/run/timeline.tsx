// What happened, in words, newest first. Choosing an event shows the run as it stood right after that event.

import { useMemo, useState } from 'preact/hooks';
import type { ShownEvent } from '../../../board/run.ts';
import type { TimelineItem } from '../../../board/timeline.ts';
import { clockTime, dayOf, exactTime } from '../parts/time.ts';
import { beginningOf, eventText } from './event-text.ts';

export interface TimelineProps {
  readonly events: readonly ShownEvent[];
  /** What happened to questions, to be sorted in between the events. */
  readonly beside: readonly TimelineItem[];
  readonly moment: number | null;
  move(event: ShownEvent | null): void;
}

const FIRST_SHOWN = 100;

export function Timeline({ events, beside, moment, move }: TimelineProps) {
  const [shown, setShown] = useState(FIRST_SHOWN);
  const all = useMemo(() => inOrder(events, beside), [events, beside]);
  const newest = all.slice(-shown).reverse();
  const left = all.length - newest.length;
  const last = events.at(-1)?.seq;
  return (
    <>
      <ol class="timeline">
        {newest.map(({ key, at, text, event }, index) => {
          const day = dayOf(at);
          const before = newest[index - 1];
          const isLater = moment !== null && event !== null && event.seq > moment;
          return (
            <li key={key} class={isLater ? 'later' : undefined}>
              {(before === undefined || dayOf(before.at) !== day) && <h3 class="day">{day}</h3>}
              {event === null ? (
                <p class="event said" title={exactTime(at)}>
                  <time dateTime={at}>{clockTime(at)}</time>
                  <span class="event-text">{text}</span>
                </p>
              ) : (
                <Event
                  event={event}
                  isShown={event.seq === (moment ?? last)}
                  look={() => move(event.seq === last ? null : event)}
                />
              )}
            </li>
          );
        })}
      </ol>
      {left > 0 && (
        <button type="button" class="small" onClick={() => setShown(shown * 4)}>
          Show earlier ones ({left})
        </button>
      )}
    </>
  );
}

function inOrder(events: readonly ShownEvent[], beside: readonly TimelineItem[]): TimelineItem[] {
  const own = events.map((event) => ({
    key: String(event.seq),
    at: event.at,
    text: event.text,
    event,
  }));
  // The sort is stable: an event comes before anything else with the same time.
  return [...own, ...beside].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

interface EventProps {
  readonly event: ShownEvent;
  readonly isShown: boolean;
  look(): void;
}

function Event({ event, isShown, look }: EventProps) {
  const [isWhole, setWhole] = useState(false);
  const text = useMemo(() => eventText(event), [event]);
  const beginning = beginningOf(text);
  const about = [event.step_id && `step ${event.step_id}`, event.by].filter(Boolean).join(' · ');
  return (
    <>
      <button
        type="button"
        class="event"
        aria-current={isShown ? 'step' : undefined}
        title={exactTime(event.at)}
        onClick={look}
      >
        <time dateTime={event.at}>{clockTime(event.at)}</time>
        <span class="event-text">
          {beginning === null || isWhole ? text : `${beginning} …`}
          {about !== '' && <span class="soft event-about">{about}</span>}
        </span>
      </button>
      {beginning !== null && (
        <button
          type="button"
          class="small plain disclose more"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'less' : 'more'}
        </button>
      )}
    </>
  );
}

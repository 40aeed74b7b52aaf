// A slider over the events of a run: the whole view follows it.

import { useId } from 'preact/hooks';
import type { ShownEvent } from '../../../board/run.ts';
import { Icon } from '../parts/icon.tsx';
import { clockTime } from '../parts/time.ts';

export interface TimeSliderProps {
  readonly events: readonly ShownEvent[];
  readonly moment: number | null;
  move(event: ShownEvent | null): void;
}

export function TimeSlider({ events, moment, move }: TimeSliderProps) {
  const id = useId();
  const last = events.length - 1;
  const found = moment === null ? last : events.findLastIndex(({ seq }) => seq <= moment);
  const place = Math.max(0, found);
  const event = events[place];
  if (last < 1 || event === undefined) return null;
  // The right end is not the last event but now.
  const moved = (to: number) => move(to >= last ? null : (events[to] ?? null));
  return (
    <div class={moment === null ? 'slider' : 'slider past'}>
      <label for={id}>Moment</label>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        value={place}
        aria-valuetext={`Event ${place + 1} of ${events.length}: ${event.text}`}
        onInput={(change) => moved(Number(change.currentTarget.value))}
      />
      <output for={id}>
        {moment === null ? (
          <span class="soft">
            Now · {events.length} {events.length === 1 ? 'event' : 'events'}
          </span>
        ) : (
          <>
            <Icon name="back" /> As it was at {clockTime(event.at)}, event {place + 1} of{' '}
            {events.length}
          </>
        )}
      </output>
      <button type="button" class="small" disabled={moment === null} onClick={() => move(null)}>
        Back to now
      </button>
    </div>
  );
}

// A drawing from the server. It is parsed as SVG, not as HTML, and inserted unchanged; the server has
// escaped all text in it. Its colours are those of the page (style/drawing.css), because the content
// security policy would refuse a style of its own.

import { useLayoutEffect, useRef } from 'preact/hooks';

export interface DrawingProps {
  readonly svg: string;
  readonly label: string;
  /** A step of it was chosen. */
  onStep?(id: string): void;
}

export function Drawing({ svg, label, onStep }: DrawingProps) {
  const place = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
    if (parsed.nodeName !== 'svg') {
      place.current?.replaceChildren();
      return;
    }
    for (const style of parsed.querySelectorAll('style')) style.remove();
    // The scroll position belongs to the section and stays.
    place.current?.replaceChildren(document.importNode(parsed, true));
  }, [svg]);
  const chosen = (event: MouseEvent) => {
    const id = (event.target as Element).closest('[data-step]')?.getAttribute('data-step');
    if (id != null) onStep?.(id);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list of steps beside it does the same by keyboard
    <section
      ref={place}
      class={onStep === undefined ? 'drawing' : 'drawing chooses'}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard
      tabIndex={0}
      onClick={chosen}
    />
  );
}

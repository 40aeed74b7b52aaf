// The icons: 16 units wide, in the colour of the text. Each is beside a word or has a label, so that
// nothing is shown by a colour or a sign alone.

const PATHS = {
  person:
    'M8 8.2a2.9 2.9 0 1 0 0-5.8 2.9 2.9 0 0 0 0 5.8ZM2.6 14c.5-2.7 2.7-4.2 5.4-4.2s4.9 1.5 5.4 4.2',
  check: 'm3 8.6 3.3 3.2L13 4.8',
  cross: 'm4 4 8 8m0-8-8 8',
  gate: 'M2.5 4.5h11M2.5 8h7M2.5 11.5h4m4.2.4 1.4 1.4 2.4-3',
  play: 'M5 3.4v9.2L12.4 8z',
  pause: 'M5.6 3.6v8.8m4.8-8.8v8.8',
  gone: 'M2.6 2.6l10.8 10.8M5.2 3.6A5.6 5.6 0 0 1 12.4 11M11 12.8A5.6 5.6 0 0 1 3.4 5',
  stop: 'M4.2 4.2h7.6v7.6H4.2z',
  warning: 'M8 2.4 14.4 13.4H1.6zM8 6.6v3.2m0 1.7v.2',
  file: 'M4 1.9h5.2L12 4.7v9.4H4zM9 2v3h3',
  back: 'M6.4 3.6 2.6 7.4l3.8 3.8M3 7.4h6.2a3.9 3.9 0 0 1 0 7.8',
  bell: 'M8 2a4 4 0 0 1 4 4c0 3.4 1.4 4.8 1.4 4.8H2.6S4 9.4 4 6a4 4 0 0 1 4-4Zm-1.4 11.4a1.5 1.5 0 0 0 2.8 0',
  copy: 'M5.6 5.6V2.4h8v8h-3.2m-8-4.8h8v8h-8z',
  circle: 'M8 13.2A5.2 5.2 0 1 0 8 2.8a5.2 5.2 0 0 0 0 10.4Z',
  skip: 'M3.4 3.8 8.6 8l-5.2 4.2zM12 3.6v8.8',
  arrow: 'M2.5 8h10.4M9.2 4.4 12.9 8l-3.7 3.6',
  message: 'M2.4 3h11.2v7.8H7.4L4.4 13.4v-2.6h-2z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, label }: { readonly name: IconName; readonly label?: string }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      role={label === undefined ? undefined : 'img'}
      aria-hidden={label === undefined ? 'true' : undefined}
      aria-label={label}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

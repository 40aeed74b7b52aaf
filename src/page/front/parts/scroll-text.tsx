// A text of an agent or a file, in a box of limited height.

export function ScrollText(props: { readonly text: string; readonly class?: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by keyboard
    <pre class={props.class} tabIndex={0}>
      {props.text}
    </pre>
  );
}

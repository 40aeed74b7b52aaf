// The state of the connection: live, connecting, or lost and since when.

import { useNow, usePage, useSource } from '../store/page-state.ts';
import { ago } from './time.ts';

export function ConnectionState() {
  const connection = useSource(usePage().connection);
  const now = useNow();
  if (connection.state === 'live')
    return <Shown kind="good" word="Live" title="Changes appear at once." />;
  if (connection.state === 'connecting') return <Shown kind="quiet" word="Connecting …" title="" />;
  const since = ago(connection.since, now);
  const why =
    connection.status === 0 ? 'The server does not answer' : `The server says ${connection.status}`;
  return (
    <Shown
      kind="need"
      word="Reconnecting …"
      title={`${why}. Lost ${since}; the page tries again by itself.`}
    />
  );
}

function Shown(props: { readonly kind: string; readonly word: string; readonly title: string }) {
  return (
    <span class={`connection ${props.kind}`} role="status" title={props.title}>
      <i class="dot" />
      {props.word}
    </span>
  );
}

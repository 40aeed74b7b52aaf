// The messages of all conversations or of one, newest first.

import { useMemo, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { When } from '../parts/when.tsx';
import type { TeamMessage } from '../server/answers.ts';
import { conversationsOf, isBetween } from './merge-messages.ts';
import type { Messages } from './use-messages.ts';
import { VirtualList } from './virtual-list.tsx';

export function MessageList(props: Messages & { readonly total: number }) {
  const { messages, hasOlder, loadOlder, total } = props;
  const [chosen, setChosen] = useState('');
  const conversations = useMemo(() => conversationsOf(messages), [messages]);
  const only = conversations.find(({ between }) => nameOf(between) === chosen)?.between;
  const shown = useMemo(
    () => (only === undefined ? messages : messages.filter((each) => isBetween(each, only))),
    [messages, only],
  );
  if (messages.length === 0) return <p class="soft">No messages yet.</p>;
  return (
    <>
      <div class="filter">
        <label>
          Conversation{' '}
          <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
            <option value="">all</option>
            {conversations.map(({ between, count }) => (
              <option key={nameOf(between)} value={nameOf(between)}>
                {nameOf(between)} ({count})
              </option>
            ))}
          </select>
        </label>
        {hasOlder && (
          <span class="soft">
            {messages.length} of {total} loaded{' '}
            <button type="button" class="small" onClick={loadOlder}>
              Load older
            </button>
          </span>
        )}
      </div>
      <VirtualList
        rows={shown}
        label="Messages"
        keyOf={idOf}
        draw={drawMessage}
        onEnd={loadOlder}
      />
    </>
  );
}

function nameOf([a, b]: readonly [string, string]): string {
  return `${a} ↔ ${b}`;
}

function idOf({ id }: TeamMessage): number {
  return id;
}

function drawMessage({ id, from, to, at, text, read }: TeamMessage) {
  return (
    <div class="message">
      <p class="message-head">
        <strong>{from}</strong> <Icon name="arrow" label="to" /> <strong>{to}</strong>
        <span class="soft">
          <When at={at} /> · #{id}
        </span>
        {!read && <span class="state quiet">unread</span>}
      </p>
      <p class="message-text">{text}</p>
    </div>
  );
}

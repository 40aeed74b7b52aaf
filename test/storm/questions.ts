// The coordinator asks, and a person answers on the page, each over a server that may die at any
// moment.

import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './clients.ts';
import type { Slot } from './servers.ts';

type Listing = readonly { readonly id: string }[];

const CHOICES = ['yes', 'no', 'later'];

export async function keepAsking(client: Client): Promise<void> {
  const { random, insist, mark, stopped } = client;
  while (!stopped()) {
    const questions = [{ question: mark('question'), choices: CHOICES }];
    for (;;) {
      const { text } = await insist('ask_user_question', { questions });
      if (!text.includes('Ask again to keep waiting')) break;
    }
    await pause(random.below(200));
  }
}

/** Answers every open question until no more are asked. */
export async function keepAnswering(
  client: Client,
  slot: Slot,
  isDone: () => boolean,
): Promise<void> {
  const { random, recorder } = client;
  while (!isDone()) {
    await pause(10 + random.below(100));
    const { url, label } = await slot.current();
    if (url === null || url === '') continue;
    try {
      const list = (await (await fetch(`${url}/api/questions`)).json()) as Listing;
      const id = list[0]?.id;
      if (id === undefined) continue;
      const choice = random.pick(CHOICES);
      const call = recorder.begin({
        client: client.name,
        agent: client.agent,
        server: label,
        tool: 'answer_question',
        args: { id, choice },
      });
      const response = await fetch(`${url}/api/questions/${id}/answer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ choices: [choice], by: 'a person' }),
      });
      const text = await response.text();
      // An earlier answer of ours with an unknown outcome may have been first.
      recorder.end(call, { isError: response.status !== 200, text, data: null });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

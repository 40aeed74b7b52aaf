// Every way in which an answer can end.

import { expect, test } from 'vitest';
import { openDeliveries } from './deliveries.ts';

function expecting(deliveries = openDeliveries(), controller = new AbortController()) {
  const told: boolean[] = [];
  const done = deliveries.expect(7, controller.signal, [
    async (delivered) => {
      told.push(delivered);
    },
  ]);
  return { deliveries, controller, told, done };
}

test('the first report counts', async () => {
  const { deliveries, controller, told, done } = expecting();
  deliveries.take(8)(false);
  deliveries.take(7)(true);
  deliveries.take(7)(false);
  controller.abort();
  deliveries.close();
  await done;
  expect(told).toEqual([true]);
});

test.each<[string, (each: ReturnType<typeof expecting>) => void]>([
  ['a failed write', ({ deliveries }) => deliveries.take(7)(false)],
  ['a cancelled call', ({ controller }) => controller.abort()],
  ['a closed connection', ({ deliveries }) => deliveries.close()],
])('%s is no delivery', async (_what, end) => {
  const each = expecting();
  end(each);
  await each.done;
  expect(each.told).toEqual([false]);
});

test('work registered after the end counts as not delivered', async () => {
  const closed = openDeliveries();
  closed.close();
  const late = expecting(closed);
  await late.done;
  const gone = new AbortController();
  gone.abort();
  const cancelled = expecting(openDeliveries(), gone);
  await cancelled.done;
  expect([late.told, cancelled.told]).toEqual([[false], [false]]);
});

test('an id that is used again while the first answer is being sent is another answer', async () => {
  const first = expecting();
  const reportFirst = first.deliveries.take(7);
  const second = expecting(first.deliveries);
  const reportSecond = first.deliveries.take(7);
  reportFirst(false);
  await first.done;
  reportSecond(true);
  await second.done;
  expect([first.told, second.told]).toEqual([[false], [true]]);
});

test('an answer that is being sent when the connection closes is no delivery', async () => {
  const each = expecting();
  each.deliveries.take(7);
  each.deliveries.close();
  await each.done;
  expect(each.told).toEqual([false]);
});

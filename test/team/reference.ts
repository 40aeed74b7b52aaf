// A second, simple implementation of a team: lists that are searched from end to end, no cursors,
// no indexes. The simulation compares the decider with it.

export const MODELS = { a: ['m1', 'm2'] } as Readonly<Record<string, readonly string[]>>;
export const READERS = ['coordinator', 'a:m1', 'a:m2', 'b'] as const;
export const ADDRESSES = ['coordinator', 'a', 'a:m1', 'a:m2', 'b'] as const;

interface Letter {
  readonly id: number;
  readonly to: string;
  readonly body: string;
  dropped: boolean;
  readonly readBy: Set<string>;
  readonly offeredTo: Set<string>;
}

export interface Marked {
  readonly id: number;
  readonly redelivered: boolean;
}

interface Asking {
  readonly ids: readonly string[];
  readonly asker: string;
  readonly text: string;
  collected: boolean;
}

type Ending = { readonly kind: 'answered' | 'dismissed'; readonly by: string };

export interface Reference {
  readonly letters: Letter[];
  readonly endings: Map<string, Ending>;
  readonly openOffers: Map<string, readonly number[]>;
  canSend(from: string, to: string): boolean;
  send(to: string, body: string): number;
  /** What a check must find; null if another check is being answered. */
  check(reader: string, mayTakeOver: boolean): readonly Marked[] | null;
  offer(reader: string, ids: readonly number[]): void;
  receive(reader: string): void;
  giveBack(reader: string): void;
  prune(through: number, unread: boolean): number;
  ask(asker: string, text: string, size: number): { ids: readonly string[]; attached: boolean };
  end(id: string, ending: Ending): boolean;
  collect(ids: readonly string[]): boolean;
  isWaiting(): boolean;
}

export function createReference(): Reference {
  const letters: Letter[] = [];
  const endings = new Map<string, Ending>();
  const openOffers = new Map<string, readonly number[]>();
  const askings: Asking[] = [];
  const agentOf = (address: string) => address.split(':')[0] as string;
  const isFor = (letter: Letter, reader: string) =>
    !letter.dropped && (letter.to === reader || letter.to === agentOf(reader));
  const isRead = ({ to, readBy }: Letter) => {
    const models = MODELS[to];
    return models ? models.every((model) => readBy.has(`${to}:${model}`)) : readBy.size > 0;
  };
  const questions = () => askings.flatMap(({ ids }) => ids);

  return {
    letters,
    endings,
    openOffers,
    canSend: (from, to) => from !== to && !(agentOf(from) === agentOf(to) && !to.includes(':')),
    send(to, body) {
      const id = letters.length + 1;
      letters.push({ id, to, body, dropped: false, readBy: new Set(), offeredTo: new Set() });
      return id;
    },
    check(reader, mayTakeOver) {
      if (openOffers.has(reader) && !mayTakeOver) return null;
      return letters
        .filter((letter) => isFor(letter, reader) && !letter.readBy.has(reader))
        .map(({ id, offeredTo }) => ({ id, redelivered: offeredTo.has(reader) }));
    },
    offer(reader, ids) {
      openOffers.set(reader, ids);
      for (const id of ids) letters[id - 1]?.offeredTo.add(reader);
    },
    receive(reader) {
      for (const id of openOffers.get(reader) ?? []) letters[id - 1]?.readBy.add(reader);
      openOffers.delete(reader);
    },
    giveBack(reader) {
      openOffers.delete(reader);
    },
    prune(through, unread) {
      const gone = letters.filter(
        (letter) => letter.id <= through && !letter.dropped && (unread || isRead(letter)),
      );
      for (const letter of gone) letter.dropped = true;
      return gone.length;
    },
    ask(asker, text, size) {
      const before = askings.find(
        (each) => !each.collected && each.asker === asker && each.text === text,
      );
      if (before !== undefined) return { ids: before.ids, attached: true };
      const from = questions().length + 1;
      const ids = Array.from({ length: size }, (_, index) => `q-${from + index}`);
      askings.push({ ids, asker, text, collected: false });
      return { ids, attached: false };
    },
    end(id, ending) {
      if (endings.has(id)) return false;
      endings.set(id, ending);
      return true;
    },
    collect(ids) {
      const asking = askings.find((each) => each.ids[0] === ids[0]);
      if (asking === undefined || asking.collected) return false;
      if (!ids.every((id) => endings.has(id))) return false;
      asking.collected = true;
      return true;
    },
    isWaiting: () => questions().some((id) => !endings.has(id)),
  };
}

// What a person has typed and not sent yet. It is saved with every keystroke, so that it survives
// reloads, updates, a closed tab and a restart of the server. Another project on the same port has the
// same ids of questions, so the key of a draft contains the workspace and the time.

export interface Draft {
  readonly choices: readonly string[];
  readonly text: string;
}

export const NO_DRAFT: Draft = { choices: [], text: '' };

const PREFIX = 'deepwork:draft:';
/** Drafts of questions that were answered elsewhere would otherwise accumulate. */
const MAX_DRAFTS = 200;

export type TextStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

export interface Drafts {
  read(key: string): Draft;
  write(key: string, draft: Draft): void;
}

export function openDrafts(store: TextStore): Drafts {
  function keys(): string[] {
    const all = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '');
    return all.filter((key) => key.startsWith(PREFIX));
  }

  function dropOldest(): void {
    const timed = keys().map((key) => ({ key, at: savedAt(store.getItem(key)) }));
    timed.sort((a, b) => a.at - b.at);
    for (const { key } of timed.slice(0, -MAX_DRAFTS)) store.removeItem(key);
  }

  return {
    read(key) {
      return readDraft(store.getItem(PREFIX + key));
    },
    write(key, draft) {
      if (draft.text === '' && draft.choices.length === 0) {
        store.removeItem(PREFIX + key);
        return;
      }
      const isNew = store.getItem(PREFIX + key) === null;
      store.setItem(PREFIX + key, JSON.stringify({ ...draft, saved: Date.now() }));
      if (isNew) dropOldest();
    },
  };
}

function readDraft(text: string | null): Draft {
  const { choices, text: words } = parsed(text);
  return {
    choices: Array.isArray(choices) ? choices.filter((each) => typeof each === 'string') : [],
    text: typeof words === 'string' ? words : '',
  };
}

function savedAt(text: string | null): number {
  const { saved } = parsed(text);
  return typeof saved === 'number' ? saved : 0;
}

function parsed(text: string | null): Record<string, unknown> {
  try {
    return (JSON.parse(text ?? '{}') as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}

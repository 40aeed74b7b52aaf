// The options of every command, in the order in which shells offer them. Each command parses its
// arguments with this table (`command-line.ts`), and shell completion is generated from it. All of them
// also have --help.

const FLAG = { type: 'boolean' } as const;
const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'string', multiple: true } as const;
const FOLDER = { type: 'string', takes: 'folder' } as const;
const FILE = { type: 'string', takes: 'file' } as const;
const YES = { type: 'boolean', short: 'y' } as const;
const FLAG_OR_FALSE = { type: 'boolean', default: false } as const;
/** Not for people: a launch passes it to the server that it starts. */
const INTERNAL = { type: 'string', takes: 'internal' } as const;

const STEERING = { reason: TEXT, by: TEXT, json: FLAG, path: FOLDER };

export const COMMAND_OPTIONS = {
  init: {
    path: FOLDER,
    clients: TEXT,
    template: TEXT,
    'no-hooks': FLAG,
    yes: YES,
    'dry-run': FLAG,
    undo: FLAG,
  },
  serve: {
    path: FOLDER,
    transport: { ...TEXT, default: 'stdio' },
    port: TEXT,
    host: TEXT,
    'no-quality-gate': FLAG,
    'quality-gate': TEXT,
    'external-runner': TEXT,
    tools: TEXT,
    agent: TEXT,
    trust: FLAG,
    platform: TEXT,
    'launched-after': INTERNAL,
  },
  run: {
    path: FOLDER,
    goal: TEXT,
    inputs: TEXTS,
    agent: TEXT,
    command: TEXT,
    'max-minutes': TEXT,
    'max-turns': TEXT,
    'max-usd': TEXT,
    worktree: FLAG,
    resume: TEXT,
    'on-limit': TEXT,
    team: FLAG,
    json: FLAG,
  },
  dashboard: { open: FLAG, port: TEXT, path: FOLDER },
  launch: { agent: TEXT, path: FOLDER },
  /** Those that do not depend on the tool; `call` reads them itself. */
  call: { path: FOLDER, json: TEXT, agent: TEXT },
  status: { path: FOLDER, all: FLAG, watch: FLAG, json: FLAG },
  history: { path: FOLDER, since: TEXT, until: TEXT, follow: FLAG, json: FLAG },
  answer: { choose: TEXTS, other: TEXT, dismiss: FLAG, by: TEXT, path: FOLDER },
  abort: STEERING,
  redo: STEERING,
  stop: STEERING,
  trust: { path: FOLDER, yes: YES, revoke: FLAG },
  messages: { through: TEXT, unread: FLAG, path: FOLDER },
  repair: { path: FOLDER, journal: FLAG_OR_FALSE, all: FLAG_OR_FALSE },
  graph: { path: FOLDER, format: { ...TEXT, default: 'text' } },
  verify: { path: FOLDER, json: FLAG },
  prune: {
    path: FOLDER,
    'older-than': { ...TEXT, default: '30d' },
    'dry-run': FLAG_OR_FALSE,
    json: FLAG,
  },
  store: { from: TEXT, to: TEXT, json: FLAG_OR_FALSE, path: FOLDER },
  export: { output: { ...FILE, short: 'o' }, to: FOLDER, path: FOLDER },
  /** `hook` reads it itself. */
  hook: { plugin: FLAG },
  lint: { path: FOLDER, format: TEXT, watch: FLAG },
  simulate: {
    path: FOLDER,
    agent: TEXT,
    runs: TEXT,
    seed: TEXT,
    inputs: TEXTS,
    'run-checks': FLAG,
    json: FLAG,
  },
  doctor: { path: FOLDER, json: FLAG },
  completion: {},
};

export type CommandName = keyof typeof COMMAND_OPTIONS;

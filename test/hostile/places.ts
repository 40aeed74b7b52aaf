// Every path that deepwork opens in a project, as data. `places.test.ts` and
// `commands.test.ts` verify that the lists are complete, by comparing them with what servers and
// commands really open.

export type Area = 'jobs' | 'guides' | 'knowledge' | 'team';

export interface Place {
  /** Relative to the project; `<id>` is a session's id. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  /** What a hostile link in its place leads to, below the canary. */
  readonly outside: string;
  /** The tools that use it; default: all of them. */
  readonly area?: Area;
  /** How an error may name it besides by its path. */
  readonly called?: string;
  /**
   * It is not reported: a skill or snippet that leads out does not exist (TEAM-38), what only we
   * write is replaced, and a session without its file has vanished.
   */
  readonly silent?: true;
  /** What has to happen first so that the path is used. */
  readonly stir?: 'damaged journal' | 'foreign journal' | 'foreign state';
}

function folder(path: string, outside: string, more: Partial<Place> = {}): Place {
  return { path, kind: 'folder', outside, ...more };
}

function file(path: string, outside: string, more: Partial<Place> = {}): Place {
  return { path, kind: 'file', outside, ...more };
}

const SILENT = { silent: true } as const;
const JOBS = { area: 'jobs' } as const;
const GUIDES = { area: 'guides' } as const;
const TEAM = { area: 'team' } as const;
const KNOWN = { area: 'knowledge' } as const;
const UNKNOWN = { area: 'knowledge', silent: true } as const;
const OURS = { area: 'jobs', silent: true } as const;

export const PLACES: readonly Place[] = [
  folder('.deepwork', '.'),
  file('.deepwork/.gitignore', 'file.txt', SILENT),
  file('.deepwork/config.yml', 'config.yml'),
  folder('.deepwork/jobs', 'jobs', JOBS),
  folder('.deepwork/jobs/demo', 'jobs/elsewhere', JOBS),
  file('.deepwork/jobs/demo/job.yml', 'job.yml', JOBS),
  folder('.deepwork/jobs/demo/steps', 'steps', JOBS),
  file('.deepwork/jobs/demo/steps/a.md', 'steps/a.md', JOBS),
  folder('.deepwork/workflows', 'workflows', GUIDES),
  file('.deepwork/workflows/own.json', 'elsewhere.json', GUIDES),
  folder('.deepwork/skills', 'skills', KNOWN),
  folder('.deepwork/skills/own', 'skills/elsewhere', UNKNOWN),
  file('.deepwork/skills/own/SKILL.md', 'SKILL.md', UNKNOWN),
  folder('.deepwork/snippets', 'snippets', KNOWN),
  folder('.deepwork/snippets/go', 'go', UNKNOWN),
  file('.deepwork/snippets/go/own.go', 'go/elsewhere.go', UNKNOWN),
  folder('.deepwork/journal', 'journal'),
  file('.deepwork/journal/.gitignore', 'file.txt', SILENT),
  folder('.deepwork/journal/session', 'journal/session', JOBS),
  file('.deepwork/journal/session/<id>.jsonl', 'file.txt', OURS),
  folder('.deepwork/journal/team', 'journal/team', TEAM),
  file('.deepwork/journal/team/log.jsonl', 'file.txt', { ...TEAM, called: "team's" }),
  folder('.deepwork/journal/damaged', 'journal/damaged', { ...OURS, stir: 'damaged journal' }),
  folder('.deepwork/journal/quarantine', 'journal/damaged', { ...OURS, stir: 'foreign journal' }),
  folder('.deepwork/tmp', 'tmp', JOBS),
  file('.deepwork/tmp/.gitignore', 'file.txt', OURS),
  file('.deepwork/tmp/answered.json', 'file.txt', OURS),
  file('.deepwork/tmp/ended.log', 'file.txt', OURS),
  folder('.deepwork/tmp/open', 'tmp', OURS),
  file('.deepwork/tmp/open/<id>', 'file.txt', OURS),
  file('.deepwork/tmp/open/complete', 'file.txt', OURS),
  file('.deepwork/tmp/session_<id>.json', 'file.txt', OURS),
  file('.deepwork/tmp/quality_review_<id>_a.md', 'file.txt', OURS),
  folder('workflows', 'workflows', GUIDES),
  file('workflows/other.json', 'elsewhere.json', GUIDES),
  folder('.sgai', '.', { called: 'state.json' }),
  file('.sgai/.gitignore', 'file.txt', { ...TEAM, silent: true }),
  file('.sgai/state.json', 'state.json', TEAM),
  folder('.sgai/foreign', 'foreign', { ...TEAM, stir: 'foreign state' }),
  folder('.sgai/skills', 'skills', KNOWN),
  folder('.sgai/skills/shared', 'skills/elsewhere', UNKNOWN),
  file('.sgai/skills/shared/SKILL.md', 'SKILL.md', UNKNOWN),
  folder('.sgai/snippets', 'snippets', KNOWN),
  folder('.sgai/snippets/go', 'go', UNKNOWN),
  file('.sgai/snippets/go/shared.go', 'go/elsewhere.go', UNKNOWN),
  file('GOAL.md', 'goal.md', TEAM),
  file('team.dot', 'file.txt', TEAM),
  folder('.git', '.', OURS),
  file('.git/index', 'file.txt', OURS),
  file('.git/config', 'config.yml', OURS),
  file('.git/commondir', 'file.txt', OURS),
  file('report.md', 'file.txt', JOBS),
];

/** What only commands of people open: no server ever does. */
export const COMMAND_PLACES: readonly Place[] = [
  folder('.deepwork/archive', 'journal/damaged'),
  file('.deepwork/archive/.gitignore', 'file.txt', SILENT),
  file('.deepwork/archive/2025-01-31.jsonl', 'file.txt'),
];

/** Clients' own files, which the hooks, `init` and `doctor` read: no server ever does. */
export const CLIENT_PLACES: readonly Place[] = [
  file('.mcp.json', 'file.txt'),
  folder('.claude', '.'),
  file('.claude/settings.json', 'file.txt'),
  file('.claude/settings.local.json', 'file.txt'),
  folder('.codex', '.'),
  file('.codex/config.toml', 'file.txt'),
  file('.codex/hooks.json', 'file.txt'),
  folder('.gemini', '.'),
  file('.gemini/settings.json', 'file.txt'),
  file('opencode.json', 'file.txt'),
  file('opencode.jsonc', 'file.txt'),
  folder('.opencode', '.'),
  file('.opencode/plugins/deepwork.js', 'file.txt'),
  folder('.cursor', '.'),
  file('.cursor/mcp.json', 'file.txt'),
  folder('.vscode', '.'),
  file('.vscode/mcp.json', 'file.txt'),
  file('.deepwork/init.json', 'file.txt'),
];

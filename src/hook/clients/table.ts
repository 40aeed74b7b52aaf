// Every client whose hooks are answered.

import type { HookClient } from '../hook-client.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

export const HOOK_CLIENTS: readonly HookClient[] = [claude, codex, gemini, opencode];

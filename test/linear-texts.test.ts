// Everything that looks through a text from outside takes time in proportion to its length.
// Each is given a lot of what is worst for it; a search that goes back and forth would
// take minutes.

import { expect, test } from 'vitest';
import { printable } from '../src/cli/printable.ts';
import { hasMoreValuesThan } from '../src/core/json-size.ts';
import { membersOf } from '../src/core/team/json-members.ts';
import { nameOf } from '../src/core/team/question-limits.ts';
import type { Message } from '../src/core/team/state.ts';
import { busText, outboxText } from '../src/core/team/texts.ts';
import { readFrontMatter } from '../src/definitions/front-matter.ts';
import { readJson } from '../src/definitions/guides/json-source.ts';
import { isSemVer } from '../src/definitions/guides/semver.ts';
import { agentsOfFlow } from '../src/definitions/team/goal.ts';
import { onOneLine } from '../src/definitions/wording.ts';
import { readYaml } from '../src/definitions/yaml-source.ts';
import { verdictOn } from '../src/engine/review-verdict.ts';
import { branchName } from '../src/environment/branch.ts';
import { fencedOrWhole } from '../src/gate/review/fenced.ts';
import { material } from '../src/gate/review/material.ts';
import { splitCommand } from '../src/gate/split-command.ts';
import { placeOfHost, placeOfOrigin } from '../src/server/http/host-origin.ts';
import { readMessage } from '../src/server/message.ts';

const LENGTH = 256 * 1024;
const filled = (piece: string) => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);

/** Runs of what patterns stumble over: marks that open, repeat, and never close. */
const TEXTS = [
  ...[
    '\n',
    ' ',
    '\t\n',
    '-',
    '.',
    '/',
    '"',
    "'",
    '\\',
    '<',
    '[',
    '{',
    '#',
    '```',
    '```json\n',
    ':',
  ],
  ...[
    'a',
    'a.',
    'a-',
    '- ',
    'a:\n',
    '/*',
    '->',
    '---\n',
    '\n---',
    '\r\n',
    '\u200b',
    '<>',
    '[],',
    '{"a":',
  ],
].flatMap((piece) => [`x${filled(piece)}x`, `"${filled(piece)}`]);

const message = (body: string): Message => ({
  ...{ id: 1, from: 'a', to: 'b', body, createdAt: '2026-01-01T00:00:00.000Z' },
  ...{ readers: [], redelivered: false, settledAt: null },
});

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  fencedOrWhole,
  material,
  splitCommand,
  printable,
  onOneLine,
  nameOf,
  isSemVer,
  placeOfHost,
  placeOfOrigin,
  readMessage,
  hasMoreValuesThan: (text) => hasMoreValuesThan(1000, text),
  membersOf: (text) => membersOf(`{"a": ${text}}`),
  readJson,
  readFrontMatter: (text) => readFrontMatter(`---\n${text}`),
  readYaml,
  agentsOfFlow,
  outboxText: (text) => outboxText([message(text)], () => []),
  busText: (text) => busText([message(text)], () => []),
  verdictOn: (text) => verdictOn(['12345678'], `12345678 ${text} PASSED`),
  branchName: (text) => branchName(text, text, text, '2026-01-01'),
};

test.each(Object.entries(READERS))(
  '%s reads any text in time',
  async (_, read) => {
    for (const text of TEXTS) {
      const before = process.cpuUsage();
      try {
        await read(text);
      } catch {
        // That it is refused is well; the question is when.
      }
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1e6, JSON.stringify(text.slice(0, 20))).toBeLessThan(3);
    }
  },
  120_000,
);

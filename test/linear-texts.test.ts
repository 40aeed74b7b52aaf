// Everything that searches a text from outside takes time in proportion to its length. Each gets
// a large worst case; a backtracking search would take minutes.

import { test } from 'vitest';
import { printable } from '../src/cli/terminal/printable.ts';
import { hasMoreValuesThan } from '../src/core/json-size.ts';
import { verdictWithCodes } from '../src/core/session/self-review-verdict.ts';
import { jsonMembersOf } from '../src/core/team/json-members.ts';
import { nameOf } from '../src/core/team/question-limits.ts';
import type { Message } from '../src/core/team/state.ts';
import { busText, outboxText } from '../src/core/team/texts.ts';
import { onOneLine } from '../src/core/wording.ts';
import { isSemVer } from '../src/definitions/guides/semver.ts';
import { readFrontMatter } from '../src/definitions/source/front-matter.ts';
import { parseJson, readJson } from '../src/definitions/source/json.ts';
import { readYaml } from '../src/definitions/source/yaml.ts';
import { agentsOfFlow } from '../src/definitions/team/goal.ts';
import { readJsonc, readTomlTable } from '../src/doctor/clients/client-text.ts';
import { branchName } from '../src/environment/git/branch.ts';
import { nameOfRemote } from '../src/environment/git/origin.ts';
import { fencedOrWhole } from '../src/gate/review/find-json.ts';
import { quotedText } from '../src/gate/review/quoted-text.ts';
import { splitCommand } from '../src/gate/split-command.ts';
import { parseJsonWithComments } from '../src/hook/json-with-comments.ts';
import { patchTargetsIn } from '../src/hook/patch-targets.ts';
import { addressOfHost, addressOfOrigin } from '../src/server/http/host-origin.ts';
import { readMessage } from '../src/server/rpc-message.ts';
import { expectPiecesAtMost } from './support/processor-time.ts';

const LENGTH = 64 * 1024;
/** Of reference work; what is read in proportion to its length takes a twentieth of it. */
const MAX_PIECES = 200;
const filled = (piece: string) => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);

/** Runs of what patterns are slow on: marks that open, repeat, and never close. */
const TEXTS = [
  ...['\n', ' ', '-', '.', '/', '"', "'", '\\', '<', '[', '{', '#', ':', '```\n', '```json\n'],
  ...['a.', 'a-', '- ', 'a:\n', '/*', '->', '---\n', '\r\n', '\u200b', '<>', '[],', '{"a":', '\\"'],
  ...[', ', '[a "'],
].flatMap((piece) => [`x${filled(piece)}x`, `"${filled(piece)}`]);

const message = (body: string): Message => ({
  id: 1,
  from: 'a',
  to: 'b',
  body,
  createdAt: '2026-01-01T00:00:00.000Z',
  readers: [],
  redelivered: false,
  readBeforeAt: null,
});

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  fencedOrWhole,
  quotedText,
  splitCommand,
  printable,
  onOneLine,
  nameOf,
  isSemVer,
  addressOfHost,
  addressOfOrigin,
  readMessage,
  hasMoreValuesThan: (text) => hasMoreValuesThan(1000, text),
  membersOf: (text) => jsonMembersOf(`{"a": ${text}}`),
  parseJson,
  readJson,
  readFrontMatter: (text) => readFrontMatter(`---\n${text}`),
  readYaml,
  agentsOfFlow,
  outboxText: (text) => outboxText([message(text)], () => []),
  busText: (text) => busText([message(text)], () => []),
  verdictWithCodes: (text) => verdictWithCodes(['12345678'], `12345678 ${text} PASSED`),
  readJsonc,
  readTomlTable: (text) => readTomlTable(`[a]\nkey = [${text}`, 'a'),
  parseJsonWithComments,
  nameOfRemote: (text) => nameOfRemote(`https://h/${text}`, '/'),
  patchTargetsIn: (text) => patchTargetsIn(`*** Add File: ${text}`),
  branchName: (text) => branchName(text, text, text, '2026-01-01'),
};

test.each(Object.entries(READERS))(
  '%s reads any text in time',
  async (_, read) => {
    for (const text of TEXTS) {
      const reading = async () => {
        try {
          await read(text);
        } catch {
          // It may be refused; the test is about the time.
        }
      };
      await expectPiecesAtMost(MAX_PIECES, reading, JSON.stringify(text.slice(0, 20)));
    }
  },
  120_000,
);

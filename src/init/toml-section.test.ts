// A TOML table is added at the end of a file and removed again; a parser checks the result.

import { describe, expect, test } from 'vitest';
import { withoutRanges } from './spliced-text.ts';
import { addTable, removeTable, type TomlTable } from './toml-section.ts';

const TABLE: TomlTable = {
  path: ['mcp_servers', 'deepwork'],
  value: { command: 'C:\\a b\\"deepwork"', args: ['serve', '--path', '.'] },
};
const BLOCK = `[mcp_servers.deepwork]
command = "C:\\\\a b\\\\\\"deepwork\\""
args = ["serve", "--path", "."]
`;

const FILES = {
  empty: '',
  'only a comment': '# mine\n',
  'without a last line end': 'model = "x"',
  'with tables': '# a\nmodel = "x" # b\n\n[mcp_servers.other]\ncommand = "y"\n',
  'with CRLF': 'model = "x"\r\n\r\n[a]\r\nb = 1\r\n',
  'with an array of tables': '[[a]]\nb = 1979-05-27\n[[a]]\nb = 9223372036854775807\n',
  'with a text that looks like it': 'a = """\n[mcp_servers.deepwork]\n"""\n',
};

describe.each(Object.entries(FILES))('a file %s', (_name, text) => {
  test('gets the table at its end, and is restored when it is removed', () => {
    const added = addTable(text, TABLE);
    if ('why' in added) throw new Error(added.why);
    const block = text.includes('\r\n') ? BLOCK.replaceAll('\n', '\r\n') : BLOCK;
    expect(added.text.endsWith(block)).toBe(true);
    expect(withoutRanges(added.text, added.inserted)).toBe(text);
  });

  test('loses only the table when it was edited since', () => {
    const added = addTable(text, TABLE);
    if ('why' in added) throw new Error(added.why);
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    const edited = `${added.text}${eol}[later]${eol}a = 1`;
    const removed = removeTable(edited, TABLE);
    expect(removed).not.toBeNull();
    expect(removed).not.toContain(`${eol}[mcp_servers.deepwork]${eol}command`);
    expect(removed?.startsWith(text)).toBe(true);
    expect(removed).toContain(`[later]${eol}a = 1`);
  });
});

test('a file to which the table cannot be added is refused', () => {
  expect(addTable('mcp_servers = {}\n', TABLE)).toMatchObject({
    why: 'cannot take a table [mcp_servers.deepwork] at its end',
  });
  expect(addTable('a = \n', TABLE)).toMatchObject({
    why: expect.stringMatching(/^is not valid TOML \(line 1, column \d+: .+\)$/),
  });
});

test('a table that was edited is not found', () => {
  expect(removeTable(BLOCK.replace('"."', '".."'), TABLE)).toBeNull();
});

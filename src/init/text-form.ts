// The format of a file: its line ends, its indentation, a byte order mark. What is inserted follows
// it.

export interface TextForm {
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
}

export const BYTE_ORDER_MARK = '\ufeff';

export function textFormOf(text: string): TextForm {
  const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  return {
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    unit: indent.startsWith('\t') ? '\t' : indent,
  };
}

/** The indentation of the line that contains this offset. */
export function indentAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  let end = start;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return text.slice(start, end);
}

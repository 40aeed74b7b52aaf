// Splits DOT into tokens: bare and quoted names, HTML labels, and marks. Comments and lines that
// begin with `#` are dropped.

export type Token =
  | { readonly kind: 'bare' | 'quoted' | 'html'; readonly text: string; readonly line: number }
  | { readonly kind: 'mark'; readonly text: string; readonly line: number };

export type Lexed =
  | { readonly kind: 'tokens'; readonly tokens: readonly Token[] }
  | { readonly kind: 'broken'; readonly reason: string };

const MAX_TOKENS = 100_000;
const SPACE = /[\s\ufeff]+/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const ARROW = /->|--/y;
const MARK = /[{}[\];,=:]/y;
// Stops before an arrow and before a comment.
const BARE = /(?:[^\s{}[\];,=:"<>+\-/]|-(?![->])|\/(?![/*]))+/y;
const QUOTED = /"(?:[^"\\]|\\[\s\S])*"/y;
const HASH_LINE = /#[^\n]*/y;

export function lexDot(text: string): Lexed {
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  let lineStart = true;
  const broken = (why: string): Lexed => {
    return { kind: 'broken', reason: `${why} (line ${line} of the flow)` };
  };
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  const countLines = (piece: string) => {
    for (let next = piece.indexOf('\n'); next >= 0; next = piece.indexOf('\n', next + 1)) line += 1;
  };

  while (at < text.length) {
    if (tokens.length > MAX_TOKENS) return broken(`more than ${MAX_TOKENS} words and marks`);
    const space = take(SPACE);
    if (space !== null) {
      countLines(space);
      lineStart ||= space.includes('\n');
      continue;
    }
    if (lineStart && take(HASH_LINE) !== null) continue;
    lineStart = false;
    const comment = take(COMMENT);
    if (comment !== null) {
      countLines(comment);
      continue;
    }
    const begun = line;
    const mark = take(ARROW) ?? take(MARK);
    const quoted = mark === null ? take(QUOTED) : null;
    if (mark !== null) tokens.push({ kind: 'mark', text: mark, line });
    else if (quoted !== null) {
      countLines(quoted);
      tokens.push({ kind: 'quoted', text: unquote(quoted), line: begun });
    } else if (text[at] === '<') {
      const length = htmlLength(text.slice(at));
      if (length === null) return broken("unclosed '<'");
      countLines(text.slice(at, at + length));
      tokens.push({ kind: 'html', text: text.slice(at, at + length), line: begun });
      at += length;
    } else if (text[at] === '+') {
      // Joins two quoted texts.
      at += 1;
      countLines(take(SPACE) ?? '');
      const more = take(QUOTED);
      const before = tokens.pop();
      if (more === null || before?.kind !== 'quoted')
        return broken("'+' is allowed only between quoted texts");
      countLines(more);
      tokens.push({ ...before, text: before.text + unquote(more) });
    } else {
      const bare = take(BARE);
      if (bare === null) return broken(unexpected(text.slice(at, at + 2)));
      tokens.push({ kind: 'bare', text: bare, line });
    }
  }
  return { kind: 'tokens', tokens };
}

function unexpected(here: string): string {
  if (here.startsWith('"')) return 'unclosed quote';
  return here === '/*' ? 'unclosed comment' : `unexpected '${here[0] ?? ''}'`;
}

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\(\r?\n|")/g, (_, escaped) => (escaped === '"' ? '"' : ''));
}

/** Up to the bracket that closes the first one. */
function htmlLength(text: string): number | null {
  let open = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '<') open += 1;
    else if (text[index] === '>' && --open === 0) return index + 1;
  }
  return null;
}

// Turns the text of a YAML file into a tree of values with positions, within limits: a file may
// come from an untrusted repository. The parser is driven token by token, so that excessive
// nesting and size are refused before the recursive part of the `yaml` package sees them. Aliases
// share one subtree; their expanded size is computed, never expanded.

import type { CST, Document, ParsedNode, Scalar, YAMLError } from 'yaml';
import { inSlices, nextSlice, sliceIsOver } from '../../async/slices.ts';
import { runWithinProcessorTime } from '../../core/rules/run-within.ts';
import { quote } from '../wording.ts';
import type { MapEntry, Node } from './node.ts';
import { openPositions } from './positions.ts';
import { loadYaml, MAX_DEPTH, type Source, type SourceFault } from './source.ts';

const MAX_ALIASES = 100;
const MAX_VALUES = 60_000;
/**
 * The package turns all tokens into values at once, which blocks the event loop. This many tokens
 * and lines take less than a tenth of a second, whatever they contain.
 */
const MAX_TOKENS = 60_000;
const MAX_LINES = 60_000;
const MAX_ERROR_TOKENS = 20;
/** After the first error, most others are consequences of it. */
const MAX_FAULTS = 3;
const FIX_FIRST = '; fix this first: the others may come from it';
/** A safeguard against unknown slow paths of the package. */
const COMPOSE_MILLISECONDS = 1000;
/** A text of at most this many characters needs no deadline. */
const SMALL = 8 * 1024;
/** The parser's stack also holds the document and the scalar being read. */
const MAX_STACK_DEPTH = MAX_DEPTH + 2;

type Yaml = typeof import('yaml');

export async function readYaml(text: string): Promise<Source> {
  const yaml = await loadYaml();
  const positionOf = openPositions(text);
  const { document, faults: wrong } = await composeDocument(yaml, text);
  if (wrong.length > 0 || !document?.contents) return { root: null, faults: wrong, positionOf };
  const { node, faults, stopped } = convert(yaml, document.contents as ParsedNode);
  const empty = node?.kind === 'scalar' && node.value === null;
  return { root: stopped || empty ? null : node, faults, positionOf };
}

interface Composed {
  readonly document: Document.Parsed | null;
  readonly faults: SourceFault[];
}

function fault(code: SourceFault['code'], message: string, at: number): SourceFault {
  return { code, path: [], message, at };
}

async function composeDocument(yaml: Yaml, text: string): Promise<Composed> {
  const parser = new yaml.Parser();
  const parsed: CST.Token[] = [];
  let errors = 0;
  const take = (token: CST.Token) => {
    if (token.type === 'error') errors++;
    parsed.push(token);
  };
  const stop = (message: string, at: number): Composed => ({
    document: null,
    faults: [fault('over_limit', message, at)],
  });

  if (hasMoreLines(text)) return stop(`more than ${MAX_LINES} lines`, 0);
  let tokens = 0;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    if (sliceIsOver()) await nextSlice();
    if (++tokens > MAX_TOKENS) return stop('too many values for one file', parser.offset);
    for (const token of parser.next(lexeme)) take(token);
    if (parser.stack.length > MAX_STACK_DEPTH) return stop(TOO_DEEP, parser.offset);
    if (errors > MAX_ERROR_TOKENS) break;
  }
  for (const token of parser.end()) take(token);
  const composed = await composeInTime(() => composeTokens(yaml, parsed, text.length), text);
  if (typeof composed === 'string') return stop(`reading it ${composed}`, 0);
  const [document, second] = composed;
  if (!document) return { document: null, faults: [] };
  const wrong = [...document.errors, ...document.warnings.filter(isUnknownTag)];
  const faults = wrong.slice(0, MAX_FAULTS).map((error, index) => {
    const first = index === 0 && wrong.length > 1 ? FIX_FIRST : '';
    return fault('not_yaml', `${withHint(error, text)}${first}`, error.pos[0]);
  });
  if (second) faults.push(fault('not_yaml', 'more than one document', second.range[0]));
  return { document, faults };
}

function hasMoreLines(text: string): boolean {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && lines <= MAX_LINES; lines += 1) {
    at = text.indexOf('\n', at + 1);
  }
  return lines > MAX_LINES;
}

/** The result, or the reason why it was stopped. */
async function composeInTime<T>(compose: () => T, text: string): Promise<T | string> {
  if (text.length <= SMALL) return compose();
  await nextSlice();
  const composed = await inSlices(runWithinProcessorTime(COMPOSE_MILLISECONDS, compose));
  return composed.kind === 'done' ? composed.value : composed.reason;
}

function composeTokens(yaml: Yaml, tokens: readonly CST.Token[], end: number): Document.Parsed[] {
  const composer = new yaml.Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    // The package compares every key with every other; `convert` uses a set.
    uniqueKeys: false,
  });
  const documents: Document.Parsed[] = [];
  // An error object per fault is costly only for its stack trace, which is not used.
  const traceLimit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    for (const token of tokens) {
      for (const document of composer.next(token)) documents.push(document as Document.Parsed);
    }
    for (const document of composer.end(true, end)) documents.push(document as Document.Parsed);
  } finally {
    Error.stackTraceLimit = traceLimit;
  }
  return documents;
}

/** How to fix common mistakes. */
const HINTS: Partial<Record<YAMLError['code'], string>> = {
  BLOCK_AS_IMPLICIT_KEY: "a text with ': ' in it needs quotes around it",
  MULTILINE_IMPLICIT_KEY: 'a key and its colon must be on one line; a long text needs quotes or |',
  TAB_AS_INDENT: 'indent with spaces',
  BAD_INDENT: 'keys of the same level must begin in the same column',
  MISSING_CHAR: 'a quote, bracket or colon is missing',
};

const INDENTED =
  "the next line is indented too far, or a text of several lines with ': ' in it needs quotes or |";

function withHint({ code, message, pos }: YAMLError, text: string): string {
  const [line = ''] = text.slice(pos[0], pos[0] + 1000).split('\n', 1);
  const before = text.slice(text.lastIndexOf('\n', pos[0] - 1) + 1, pos[0]);
  if (WITHOUT_VALUE.test(`${code} ${message}`) && /^[\s-]*$/.test(before)) {
    const written = line.replace(/\s#.*$/, '').trim();
    const isKey = !/^["'[{]|:(\s|$)/.test(written);
    if (isKey && written.includes(':')) {
      return `The colon in ${quote(written, 60)} needs a space after it`;
    }
    if (isKey) return `The line ${quote(written, 60)} has no colon; write key: value`;
  }
  // The colon is on a later line, which continues the text because it is indented further.
  const isIndented = code === 'BLOCK_AS_IMPLICIT_KEY' && !/:(\s|$)/.test(line);
  const hint = isIndented ? INDENTED : HINTS[code];
  return hint === undefined ? message : `${message} (${hint})`;
}

/** A key is read on to a colon of a later line, or there is none. */
const WITHOUT_VALUE = /^(?:MULTILINE_IMPLICIT_KEY|MISSING_CHAR Implicit map keys) /;

const TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`;

function isUnknownTag(warning: YAMLError): boolean {
  return warning.code === 'TAG_RESOLVE_FAILED';
}

/** A converted value, and its size with all aliases expanded. */
interface Converted {
  readonly node: Node;
  readonly values: number;
  readonly height: number;
}

interface Conversion {
  readonly node: Node | null;
  readonly faults: SourceFault[];
  /** The file exceeds a limit: the tree must not be used. */
  readonly stopped: boolean;
}

function convert(yaml: Yaml, contents: ParsedNode): Conversion {
  const faults: SourceFault[] = [];
  const anchors = new Map<string, Converted | 'open'>();
  let aliases = 0;
  let stopped = false;

  const stop = (message: string, at: number) => {
    if (!stopped) faults.push(fault('over_limit', message, at));
    stopped = true;
  };

  const visit = (from: ParsedNode | null, depth: number, keyAt: number | null): Converted => {
    if (stopped || from === null) return nothing(keyAt ?? 0);
    const at = from.range[0];
    if (yaml.isAlias(from)) {
      if (++aliases > MAX_ALIASES) stop(`more than ${MAX_ALIASES} aliases`, at);
      const target = anchors.get(from.source);
      if (target === 'open') stop(`alias ${quote(`*${from.source}`)} contains itself`, at);
      else if (!target) stop(`alias ${quote(`*${from.source}`)} has no anchor before it`, at);
      else if (depth + target.height - 1 > MAX_DEPTH) stop(TOO_DEEP, at);
      else return target;
      return nothing(at);
    }
    if (from.anchor) anchors.set(from.anchor, 'open');
    const made = yaml.isScalar(from) ? leaf(from as Scalar, at, keyAt) : branch(from, depth);
    if (from.anchor) anchors.set(from.anchor, made);
    return made;
  };

  const branch = (from: ParsedNode, depth: number): Converted => {
    const at = from.range[0];
    if (depth > MAX_DEPTH) stop(TOO_DEEP, at);
    let values = 1;
    let height = 0;
    const child = (value: ParsedNode | null, keyAt: number | null): Node => {
      const made = visit(value, depth + 1, keyAt);
      values += made.values;
      height = Math.max(height, made.height);
      if (values > MAX_VALUES) stop('its aliases expand to too many values', at);
      return made.node;
    };
    if (yaml.isSeq(from)) {
      const items = from.items.map((item) => child(item as ParsedNode | null, null));
      return { node: { kind: 'list', at, items }, values, height: height + 1 };
    }
    const entries: MapEntry[] = [];
    const keys = new Set<string>();
    if (yaml.isMap(from)) {
      for (const pair of from.items) {
        const keyNode = pair.key as ParsedNode;
        const keyAt = keyNode.range[0];
        const key = yaml.isScalar(keyNode) ? String((keyNode as Scalar).source ?? '') : null;
        const value = child(pair.value as ParsedNode | null, keyAt);
        if (key === null) faults.push(fault('not_yaml', 'a key must be plain text', keyAt));
        else if (keys.has(key)) {
          faults.push(fault('duplicate_key', `duplicate key ${quote(key)}`, keyAt));
        } else entries.push({ key, keyAt, value });
        if (key !== null) keys.add(key);
      }
    }
    return { node: { kind: 'map', at, entries }, values, height: height + 1 };
  };

  const { node } = visit(contents, 1, null);
  return { node, faults, stopped };
}

function leaf(scalar: Scalar, at: number, keyAt: number | null): Converted {
  const written = scalar.source ?? '';
  const plain = scalar.type === 'PLAIN' && scalar.tag === undefined;
  const value = scalar.value as string | number | boolean | null;
  // An absent value has no position of its own; its key's is used.
  const node: Node = {
    kind: 'scalar',
    at: plain && written === '' && keyAt !== null ? keyAt : at,
    value,
    written,
    plain,
  };
  return { node, values: 1, height: 0 };
}

function nothing(at: number): Converted {
  const node: Node = { kind: 'scalar', at, value: null, written: '', plain: true };
  return { node, values: 1, height: 0 };
}

// The output of the demos: chapters, and in each who said what. 80 columns, and colour only on
// a terminal without NO_COLOR, so that the output can be piped and compared as plain text.

import { styleText } from 'node:util';

const COLUMNS = 80;
const LABEL = 15;
const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;

const STYLES = {
  agent: 'cyan',
  coordinator: 'cyan',
  writer: 'blue',
  reviewer: 'magenta',
  person: 'bold',
  deepwork: 'green',
  refuses: 'yellow',
};

export function title(text, below) {
  print('');
  print(`  ${paint('bold', text)}`);
  for (const line of wrap(below, COLUMNS - 4)) print(`  ${paint('dim', line)}`);
}

let chapters = 0;

export function chapter(text) {
  chapters += 1;
  const head = `── ${chapters}  ${text} `;
  print('');
  print(paint('bold', head) + paint('dim', '─'.repeat(Math.max(0, COLUMNS - head.length))));
  print('');
}

/** What one speaker says; `quiet` is for details. */
export function says(who, text, quiet = false) {
  wrap(text, COLUMNS - LABEL).forEach((line, index) => {
    const label = (index === 0 ? who : '').padEnd(LABEL - 2);
    print(`  ${paint(STYLES[who] ?? 'bold', label)}${quiet ? paint('dim', line) : line}`);
  });
}

/** A tool call in readable form. */
export function calls(tool, input, who = 'agent') {
  const given = Object.entries(input).map(([key, value]) => `${key}: ${plain(value)}`);
  says(who, `${tool}(${given.join(', ')})`);
}

/** Lines of a file, set off from the text. */
export function quotes(lines) {
  for (const line of lines) {
    for (const part of wrap(line, COLUMNS - LABEL - 2)) {
      print(`${' '.repeat(LABEL)}${paint('dim', '│')} ${paint('dim', part)}`);
    }
  }
}

export function remark(text) {
  for (const line of wrap(text, COLUMNS - LABEL)) print(' '.repeat(LABEL) + paint('dim', line));
}

export function ending(text) {
  print('');
  print(paint('bold', text));
}

function plain(value) {
  if (Array.isArray(value)) return `[${value.map(plain).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([key, inner]) => `${key}: ${plain(inner)}`);
  return `{${members.join(', ')}}`;
}

function wrap(text, width) {
  return text.split('\n').flatMap((line) => wrapLine(line, width));
}

function wrapLine(line, width) {
  const hang = /^(?:- (?:\[.\] )?)?/.exec(line)?.[0].length ?? 0;
  const lines = [];
  let current = '';
  for (const word of line.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if (joined.length <= width || current.trim() === '') {
      current = joined;
    } else {
      lines.push(current);
      current = ' '.repeat(hang) + word;
    }
    while (current.length > width) {
      lines.push(current.slice(0, width));
      current = current.slice(width);
    }
  }
  return [...lines, current];
}

function paint(style, text) {
  return colour && text !== '' ? styleText(style, text) : text;
}

function print(line) {
  process.stdout.write(`${line.trimEnd()}\n`);
}

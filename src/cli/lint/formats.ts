// The output formats of `deepwork lint`: text for people, JSON for programs, annotations for
// GitHub, and SARIF for code scanners.

import { pathToFileURL } from 'node:url';
import type { IssueCode } from '../../core/issue.ts';
import { toJsonText } from '../../core/json-text.ts';
import type { Proof } from '../../core/proof.ts';
import { VERSION } from '../../version.ts';
import type { Screen } from '../board/screen.ts';
import { printable } from '../terminal/printable.ts';

export const LINT_FORMATS = ['text', 'json', 'github', 'sarif'] as const;
export type LintFormat = (typeof LINT_FORMATS)[number];

/** One problem or warning, as programs get it. */
export interface LintFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: 'problem' | 'warning';
  readonly code: IssueCode;
  readonly message: string;
  readonly proof: (Proof & { readonly words: string }) | null;
}

export interface LintResult {
  readonly findings: readonly LintFinding[];
  /** One line for each file with findings that were only counted. */
  readonly more: readonly string[];
  readonly summary: string;
}

export function formatResult({ paint }: Screen, format: LintFormat, found: LintResult): string {
  switch (format) {
    case 'text':
      return inWords(paint, found);
    case 'json':
      return `${toJsonText({ findings: found.findings }, 2)}\n`;
    case 'github':
      return [...found.findings.map(annotation), found.summary, ''].join('\n');
    case 'sarif':
      return `${toJsonText(sarifOf(found.findings), 2)}\n`;
  }
}

function inWords(paint: Screen['paint'], { findings, more, summary }: LintResult): string {
  const lines = findings.flatMap(({ file, line, column, severity, message, proof }) => {
    const label = paint(severity === 'problem' ? 'red' : 'yellow', severity);
    return [
      `${printable(file)}:${line}:${column}: ${label}: ${printable(message)}`,
      ...(proof === null ? [] : [`    proof: ${printable(proof.says)}`]),
      ...(proof === null || proof.words === '' ? [] : [`    path: ${printable(proof.words)}`]),
    ];
  });
  return `${[...lines, ...more, summary].join('\n')}\n`;
}

function annotation({ file, line, column, severity, code, message, proof }: LintFinding): string {
  const level = severity === 'problem' ? 'error' : 'warning';
  const place = `file=${escapeProperty(file)},line=${line},col=${column},title=${escapeProperty(code)}`;
  const why = proof === null ? '' : ` (${[proof.says, proof.words].filter(Boolean).join('; ')})`;
  return `::${level} ${place}::${escapeMessage(`${message}${why}`)}`;
}

function escapeMessage(text: string): string {
  return printable(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function sarifOf(findings: readonly LintFinding[]): object {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'deepwork',
            version: VERSION,
            rules: codes.map((id) => ({ id, shortDescription: { text: id.replaceAll('_', ' ') } })),
          },
        },
        columnKind: 'unicodeCodePoints',
        results: findings.map(({ file, line, column, severity, code, message, proof }) => ({
          ruleId: code,
          ruleIndex: codes.indexOf(code),
          level: severity === 'problem' ? 'error' : 'warning',
          message: { text: message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: uriOf(file) },
                region: { startLine: line, startColumn: column },
              },
            },
          ],
          ...(proof !== null && { properties: { proof } }),
        })),
      },
    ],
  };
}

/** A relative path stays relative; characters that a URI does not allow are escaped. */
function uriOf(file: string): string {
  if (/^([A-Za-z]:)?[\\/]/.test(file)) return pathToFileURL(file).href;
  return file.split(/[\\/]/).map(encodeURIComponent).join('/');
}

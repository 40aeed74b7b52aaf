// One thing that is wrong or odd in a definition or a settings file. The code is for programs and
// never changes its meaning; the message is for people. All kinds of files share this form; only
// the way it is printed differs.

import type { Proof } from './proof.ts';

/** Keys and indexes, from the root down. */
export type Path = readonly (string | number)[];

/** Both count from 1; a column is a code point. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export interface Issue {
  readonly code: IssueCode;
  readonly path: Path;
  readonly at: TextPosition;
  readonly message: string;
  /** Set if the issue was found by walking the paths through a workflow. */
  readonly proof?: Proof;
}

/** From a parser that sees only values; its caller knows the file and adds the position. */
export type Fault = Omit<Issue, 'at'>;

export type IssueCode =
  // The file and its text.
  | 'unreadable'
  | 'outside_folder'
  | 'not_utf8'
  | 'not_yaml'
  | 'not_json'
  | 'duplicate_key'
  | 'over_limit'
  | 'empty_file'
  | 'unknown_dialect'
  // What is written in it.
  | 'unknown_key'
  | 'not_supported'
  | 'missing_key'
  | 'wrong_type'
  | 'wrong_value'
  | 'wrong_length'
  | 'too_many'
  | 'too_deep'
  | 'duplicate_value'
  | 'unknown_operator'
  | 'unknown_field'
  | 'wrong_regex'
  | 'wrong_schema'
  | 'wrong_flow'
  // How its parts fit together.
  | 'unknown_step'
  | 'unknown_output'
  | 'unknown_workflow'
  | 'unknown_input'
  | 'missing_input'
  | 'wrong_input'
  | 'duplicate_id'
  | 'circular_dependency'
  | 'circular_run'
  | 'missing_dependency'
  | 'wrong_order'
  | 'reserved_name'
  | 'instructions_not_found'
  | 'instructions_unusable'
  // What happens on the paths through it.
  /** A condition, or an input of a `run`, reads a variable that nothing declares. */
  | 'undeclared_variable'
  /** A condition, or a required input of a `run`, reads a variable that is not set on every path. */
  | 'unset_variable'
  | 'never_holds'
  | 'unreachable'
  /** An output is taken from a step that some path skips. */
  | 'skipped_source'
  /** The `until` of a loop reads nothing that the loop changes. */
  | 'until_cannot_change'
  /** An approval shows an output that no path has produced. */
  | 'nothing_to_show'
  // Odd, but valid.
  | 'name_differs'
  | 'no_workflows'
  | 'unused_step'
  | 'empty_instructions'
  | 'unknown_placeholder'
  | 'no_effect'
  | 'no_version'
  | 'shell_signs'
  | 'misnamed_file'
  // What `deepwork lint` was pointed at.
  | 'nothing_to_lint';

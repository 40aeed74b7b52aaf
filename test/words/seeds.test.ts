// What is promised word for word stays as it is, whatever else is reworded: each of these sentences
// stands in the words of its surface, which another test compares with what is really said.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const PROMISED: Readonly<Record<string, readonly string[]>> = {
  refusals: [
    'Job not found: wrk',
    "Failed to parse job 'work': ",
    "Workflow 'maim' not found in job 'work'. Available workflows: main, side",
    "Workflow 'main' has no steps",
    'Current step not found: draft',
    'Instructions file not found: steps/next.md',
    'No active workflow session. Use start_workflow to begin a workflow.',
    "Session 'nothing' not found in active stack",
    "Output name 'notes' is ambiguous. Use one of: one.notes, two.notes",
    'Quality gate failed after 1 attempts. Feedback: Too vague',
    "Cannot go forward to step 'next' (current step: 'draft'). Use finished_step to advance forward.",
    "Step 'nxt' not found in workflow 'main'. Available steps: draft, next",
    'Reviews cannot be overridden here',
    'Workflow not found',
    'Invalid workflow',
    'Step not found',
    'Validation error',
    'State error',
    'Storage error',
    'Security error',
    'Invalid params: id is required',
    'Error: Could not read the team definition: ',
    "Error: Cannot transition to 'complete' with 12 pending TODO items. Please complete all TODO items first.",
    'Error: Could not read state.json. Has the workflow been initialized?',
  ],
  step: [
    'Unknown output names: extra. Declared outputs: more, notes, pages',
    'Missing required outputs: notes, pages. All required outputs must be provided.',
    "Output 'notes' is declared as type 'file' and must be a single string path, got list",
    "Output 'pages' is declared as type 'files' and must be a list of paths, got str",
    "Output 'pages': all paths must be strings, got int",
    "Output 'pages' is required and must list at least one file",
    "Output 'notes': path is empty",
    "Output 'notes': file not found at 'nowhere.md'",
    "Output 'notes': '.' is not a regular file",
    "Output 'notes': '../out.md' is outside the project root",
    '**CONCURRENT STEPS**',
    "Workflow 'main' completed successfully!",
  ],
  feedback: [
    'Review agent timed out after 1 seconds',
    'Review agent failed with exit code 3:\nstderr: no quota',
    'Review agent command not found: no-such-reviewer',
    'Failed to parse Review agent response as JSON: ',
  ],
  'invalid-arguments': [
    'Invalid arguments for start_workflow: goal: ',
    'code: -32601',
    'code: -32700',
  ],
  start: ['Job definition validation failed: Validation error at root: '],
  'problems-jobs': [
    'job.yml is empty',
    "Step 'second' depends on non-existent step 'ghost'",
    "Circular dependency detected involving step 'second'",
    "Step 'second' references non-existent step 'ghost' in file input",
    "Step 'second' has file input from 'first' but 'first' is not in dependencies",
    "Step 'second' has review with run_each='draft' but no output with that name. Valid values: 'step', (no outputs)",
    "Duplicate workflow name: 'main'",
    "Workflow 'main' references non-existent step 'ghost'",
    "Workflow 'main' contains duplicate step 'first'",
    "Duplicate step id: 'first'",
    "Workflow 'main' runs 'second' before its dependency 'first'",
    "Workflow 'main' lacks 'first', a dependency of 'second'",
    'Instructions file not found: steps/ghost.md',
    'Instructions file outside job directory: ',
    'Instructions file not a regular file: ',
    'Instructions file not UTF-8: ',
    'Instructions file too large: ',
    "Step 'second' has an output named 'step'",
    "Step 'second' has file input 'draft.md' but 'first' has no such output",
    "Job name 'other' differs from directory ",
  ],
  team: [
    'You have no messages.',
    'You have not sent any messages.',
    'Message sent successfully to writer. (ID: 1)\nFrom: coordinator\nTo: writer\nBody: Please write it.',
    "IMPORTANT: Yield with status 'agent-done' to let replies arrive.",
    'You have 2 message(s):',
    'Pending messages (',
    'Delivered messages (',
  ],
  questions: [
    'Presented 2 question(s) to user:\n\nQuestion 1: Which colour should it be?\n  Choices: [red blue]\n  MultiSelect: false',
    'No human response yet. Still open: q-1, q-2. Ask again to keep waiting.',
  ],
};

test.for(Object.entries(PROMISED))(
  '%s says word for word what is promised',
  ([surface, sentences]) => {
    const said = readFileSync(new URL(`./${surface}.txt`, import.meta.url), 'utf8');
    expect(sentences.filter((sentence) => !said.includes(sentence))).toEqual([]);
  },
);

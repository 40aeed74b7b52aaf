// What seed 001 asks of the tools for jobs, in our words.

import type { Requirements } from './requirement.ts';

export const SEED_001 = {
  'JOBS-REQ-001.1.1': {
    says: 'The library has createServer(), also called create_server(), which gives a server that is ready to serve.',
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.1.2': {
    says: 'A server is given its project root as a path, relative or absolute, and works with the absolute one.',
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.1.3': {
    says: 'The quality gate can be switched off; it is on unless someone does.',
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.1.4': {
    says: 'The time that a review may take can be set in seconds; it is 120 unless someone sets it.',
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.1.5': {
    says: 'The number of quality attempts can be set; it is 3 unless someone sets it.',
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.1.6': {
    says: "The reviewer can be chosen: 'claude' reviews with the Claude CLI, none means self-review.",
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.1.7': {
    says: 'With the Claude CLI as the reviewer, up to five files stand in the text of the review itself.',
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.1.8': {
    says: 'Without a reviewer, the review is a self-review, which names files and shows none of them.',
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.1.9': {
    says: 'With the gate switched off, no review takes place.',
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.1.10': {
    says: 'The server calls itself deepwork.',
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.1.11': {
    says: 'The server tells clients how work goes: discover, start, execute, checkpoint, iterate, continue, complete.',
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.1.12': {
    says: "Every tool call is logged with the tool's name and the stack.",
    source: 'seed 001, section 1',
  },
  'JOBS-REQ-001.2.1': {
    says: 'get_workflows is a tool of the server.',
    source: 'seed 001, section 2',
  },
  'JOBS-REQ-001.2.2': {
    says: 'get_workflows takes no parameters.',
    source: 'seed 001, section 2',
  },
  'JOBS-REQ-001.2.3': {
    says: 'get_workflows answers with a list of jobs.',
    source: 'seed 001, section 2',
  },
  'JOBS-REQ-001.2.4': {
    says: 'Each job is listed with its name, summary and workflows.',
    source: 'seed 001, section 2',
  },
  'JOBS-REQ-001.2.5': {
    says: 'Each workflow is listed with its name and summary.',
    source: 'seed 001, section 2',
  },
  'JOBS-REQ-001.2.6': {
    says: 'A job that cannot be read is listed under errors, and the other jobs are listed all the same.',
    source: 'seed 001, section 2',
  },
  'JOBS-REQ-001.2.7': {
    says: 'Each error names the job, its folder and what is wrong.',
    source: 'seed 001, section 2',
  },
  'JOBS-REQ-001.2.8': {
    says: 'Jobs are read from every folder that is configured for them.',
    source: 'seed 001, section 2',
  },
  'JOBS-REQ-001.3.1': {
    says: 'start_workflow is a tool of the server.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.2': {
    says: 'start_workflow requires goal, job_name and workflow_name.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.3': {
    says: 'start_workflow takes an instance_id, which may be left out.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.4': {
    says: 'Starting a job that does not exist is refused.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.5': {
    says: 'A wrong workflow name is refused, unless the job has one workflow only, which is then taken.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.6': {
    says: 'The refusal of a wrong workflow name lists the workflows that there are.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.7': {
    says: 'Starting a workflow that has no steps is refused.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.8': {
    says: 'Starting creates a session of its own.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.9': {
    says: 'Starting marks the first step as started.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.10': {
    says: 'The answer to a start holds the instructions of the first step.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.11': {
    says: 'begin_step says session, step, job folder, expected outputs, reviews, instructions and common information.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.12': {
    says: 'The answer to a start shows the stack with the new workflow on it.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.13': {
    says: 'Each expected output is given with name, type, description, whether it is required, and how to submit it.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.3.14': {
    says: 'One file is submitted as a path; several files are submitted as a list of paths.',
    source: 'seed 001, section 3',
  },
  'JOBS-REQ-001.4.1': {
    says: 'finished_step is a tool of the server.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.2': {
    says: "finished_step requires outputs, which map each output's name to its path or paths.",
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.3': {
    says: 'finished_step takes notes, a reason to override reviews, and a session_id; all may be left out.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.4': {
    says: 'finished_step without any active session is refused.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.5': {
    says: 'A session_id names the session that is meant, whatever is on top of the stack.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.6': {
    says: 'Submitted outputs are checked against those that the current step declares.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.7': {
    says: 'The status of an answer is needs_work, next_step or workflow_complete.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.8': {
    says: 'With a gate, a step that has reviews is reviewed unless an override reason is given.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.9': {
    says: 'An override reason skips the reviews.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.10': {
    says: 'A self-review writes its instructions to a file and answers needs_work, asking for a subagent.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.11': {
    says: 'With an external reviewer, an attempt is on record before the review begins.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.12': {
    says: 'A failed review below the maximum of attempts answers needs_work with the feedback of all that failed.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.13': {
    says: 'A failed review at the maximum of attempts is an error that says so and gives the feedback.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.14': {
    says: 'When all reviews pass, the step is complete.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.15': {
    says: 'A completed step is kept with its outputs and notes.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.16': {
    says: 'After the last step the answer is workflow_complete, with a summary and the outputs of all steps.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.17': {
    says: 'Before the last step the answer is next_step, with all that the next step needs.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.18': {
    says: 'Of concurrent steps the first one leads, and its instructions tell to run the others with the Task tool.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.4.19': {
    says: 'Every answer of finished_step shows the stack.',
    source: 'seed 001, section 4',
  },
  'JOBS-REQ-001.5.1': {
    says: 'An output name that is not declared is refused; the refusal lists unknown and declared names.',
    source: 'seed 001, section 5',
  },
  'JOBS-REQ-001.5.2': {
    says: 'A submission without a required output is refused; the refusal lists what is missing.',
    source: 'seed 001, section 5',
  },
  'JOBS-REQ-001.5.3': {
    says: 'An optional output may be left out.',
    source: 'seed 001, section 5',
  },
  'JOBS-REQ-001.5.4': {
    says: 'An output of type file is one path; anything else is refused as a wrong type.',
    source: 'seed 001, section 5',
  },
  'JOBS-REQ-001.5.5': {
    says: 'The file of an output of type file must exist below the project root.',
    source: 'seed 001, section 5',
  },
  'JOBS-REQ-001.5.6': {
    says: 'An output of type files is a list; anything else is refused as a wrong type.',
    source: 'seed 001, section 5',
  },
  'JOBS-REQ-001.5.7': {
    says: 'Every member of an output of type files is a text.',
    source: 'seed 001, section 5',
  },
  'JOBS-REQ-001.5.8': {
    says: 'Every file of an output of type files must exist below the project root.',
    source: 'seed 001, section 5',
  },
  'JOBS-REQ-001.6.1': {
    says: 'abort_workflow is a tool of the server.',
    source: 'seed 001, section 6',
  },
  'JOBS-REQ-001.6.2': {
    says: 'abort_workflow requires an explanation.',
    source: 'seed 001, section 6',
  },
  'JOBS-REQ-001.6.3': {
    says: 'abort_workflow takes a session_id, which may be left out.',
    source: 'seed 001, section 6',
  },
  'JOBS-REQ-001.6.4': {
    says: 'abort_workflow without any active session is refused.',
    source: 'seed 001, section 6',
  },
  'JOBS-REQ-001.6.5': {
    says: 'The session is kept as aborted, with the explanation.',
    source: 'seed 001, section 6',
  },
  'JOBS-REQ-001.6.6': {
    says: 'The aborted session leaves the stack.',
    source: 'seed 001, section 6',
  },
  'JOBS-REQ-001.6.7': {
    says: 'The answer says what was aborted, at which step and why, the stack, and what goes on instead.',
    source: 'seed 001, section 6',
  },
  'JOBS-REQ-001.6.8': {
    says: 'What goes on instead is the workflow that is on top of the stack after the abort.',
    source: 'seed 001, section 6',
  },
  'JOBS-REQ-001.7.1': {
    says: 'Every answer is plain JSON with all of its keys.',
    source: 'seed 001, section 7',
  },
  'JOBS-REQ-001.7.2': {
    says: 'No status other than needs_work, next_step and workflow_complete exists.',
    source: 'seed 001, section 7',
  },
} as const satisfies Requirements;

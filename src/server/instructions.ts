// The instructions that every client gets when it connects. Clients cut them at 2 KB, so they
// contain what an agent needs to begin and to recover, and no more.

export const SERVER_NAME = 'deepwork';

export const INSTRUCTIONS = `deepwork runs multi-step workflows with you, one checked step at a time, and remembers where you are.

1. Discover: call get_workflows to see which jobs and workflows exist.
2. Start: call start_workflow with the user's goal. You get begin_step: its instructions and the outputs it expects.
3. Execute: do exactly what step_instructions say and write the expected output files inside the project.
4. Checkpoint: call finished_step with the outputs, as {"output name": "path"} or {"output name": ["path", ...]}.
5. Iterate: on needs_work, fix what the feedback names and call finished_step again. Never claim a step is done without it.
6. Continue: on next_step, do the new begin_step. Steps listed as concurrent can be given to subagents side by side.
7. Complete: on workflow_complete, tell the user what was made (all_outputs). A begin_step there is the outer workflow's: continue with it.

Lost context or restarted? Call get_active_workflow: it gives the current step again; with session_id it takes over work left behind.
Starting a workflow inside another nests; the stack in every answer shows the depth, and session_id addresses one of several.
A step turned out wrong? go_to_step returns to it. Cannot continue at all? abort_workflow, with the reason.
Guides need no session: workflow_list shows them, workflow_next gives the next step from the steps you have completed, workflow_validate checks an output before you continue.
An error ends with a line "Next:" that names what to do.`;

// A project in the middle of its work, with something of everything that the page can show.

import { drawSvg } from '../../../src/board/drawing/draw-svg.ts';
import { layOut } from '../../../src/board/drawing/layout.ts';
import { SCREEN } from '../../../src/board/drawing/medium.ts';
import type { Board, OpenQuestion, Run, RunStep } from '../../../src/board/run.ts';
import type { DrawnRun, TeamMessage } from '../../../src/page/front/server/answers.ts';
import type { Fixture } from './fixture-server.ts';

const MINUTE = 60_000;

function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * MINUTE).toISOString();
}

export function sampleRun(id: string, more: Partial<Run> = {}): Run {
  const ended = more.status === 'completed' || more.status === 'aborted';
  return {
    session_id: id,
    workflow: 'release/cut_release',
    goal: 'Cut release 2.4 with notes and a migration guide',
    agent: 'claude-code',
    parent_session_id: null,
    status: 'active',
    state: ended ? null : 'working',
    step: 'draft_notes',
    position: { index: 2, of: 5 },
    started_at: minutesAgo(50),
    last_activity_at: minutesAgo(1),
    ended_at: ended ? minutesAgo(12) : null,
    attempts: 0,
    refusals: 0,
    overrides: 0,
    nudges: 0,
    last_feedback: null,
    questions: [],
    ...more,
  };
}

export function sampleQuestion(id: string, more: Partial<OpenQuestion> = {}): OpenQuestion {
  return {
    id,
    kind: 'question',
    asked_by: 'claude-code',
    asked_at: minutesAgo(4),
    session_id: 'a1f3c2d4',
    text: 'Which database should the new service use?',
    choices: ['PostgreSQL, with partitions', 'SQLite, one file for each tenant'],
    ...more,
  };
}

// A function: times are those of the call, not of the moment when this file was loaded.
const sampleRuns = (): readonly Run[] => [
  sampleRun('a1f3c2d4', {
    goal: 'Plan the move of billing to its own service',
    workflow: 'planning/design_service',
    state: 'waiting_for_person',
    step: 'choose_storage',
    position: { index: 3, of: 6 },
    questions: ['q-7'],
    attempts: 2,
    refusals: 1,
    last_feedback:
      'The document names no owner for the nightly export. Add one, then submit again.',
  }),
  sampleRun('b2e4d6f8', {
    goal: 'Investigate the flaky checkout test',
    workflow: 'bugs/investigate',
    agent: 'codex',
    state: 'orphaned',
    step: 'reproduce',
    position: { index: 1, of: 4 },
    last_activity_at: minutesAgo(95),
    refusals: 1,
    last_feedback: 'rules: repro.md must name the seed with which the test fails.',
  }),
  sampleRun('c0ffee01', {
    state: 'working',
    refusals: 2,
    nudges: 1,
    last_feedback: 'rules: notes.md must have a section "Breaking changes".',
  }),
  sampleRun('c0ffee02', {
    goal: 'Write the migration guide',
    workflow: 'release/migration_guide',
    parent_session_id: 'c0ffee01',
    state: 'gate_running',
    step: 'review_guide',
    position: { index: 2, of: 3 },
    started_at: minutesAgo(20),
  }),
  ...['Collect the merged changes', 'List what was deprecated'].map((goal, index) =>
    sampleRun(`c0ffee1${index}`, {
      goal,
      workflow: 'release/collect',
      parent_session_id: 'c0ffee01',
      status: 'completed',
      step: 'check',
      position: { index: 2, of: 2 },
      started_at: minutesAgo(45 - index),
    }),
  ),
  sampleRun('d00d0001', {
    goal: 'Translate the help pages, one language after the other',
    workflow: 'docs/translate',
    agent: 'gemini-cli',
    step: 'translate',
    position: { index: 2, of: 3 },
    pass: 2,
    item: { index: 4, of: 11, accepted: 3 },
    started_at: minutesAgo(130),
  }),
  sampleRun('e1000001', {
    goal: 'Upgrade the build to Node 22',
    workflow: 'chores/upgrade',
    status: 'completed',
    step: 'verify',
    position: { index: 4, of: 4 },
    overrides: 1,
  }),
  sampleRun('e1000002', {
    goal: 'Try the new cache in the search service',
    workflow: 'planning/spike',
    status: 'aborted',
    step: 'measure',
    position: { index: 3, of: 4 },
    started_at: minutesAgo(300),
    ended_at: minutesAgo(260),
    last_feedback: 'Not needed any more: the search service is being replaced.',
  }),
];

function step(
  id: string,
  state: RunStep['progress']['state'],
  more: Partial<RunStep> = {},
): RunStep {
  return {
    id,
    name: `${id.charAt(0).toUpperCase()}${id.slice(1)}`.replaceAll('_', ' '),
    description: '',
    instructions: `# ${id}\n\nRead what is there, then write what is asked for.`,
    outputs: [{ name: 'document', type: 'file', required: true, description: 'A Markdown file.' }],
    rules: [],
    checks: [],
    reviews: [],
    when: null,
    progress: { state, attempts: 0, submissions: [] },
    ...more,
  };
}

const BEFORE =
  '# Storage\n\nBilling keeps its invoices in one table.\n\n## Export\n\nRuns at night.\n';
const AFTER =
  '# Storage\n\nBilling keeps its invoices in one table.\n\n## Export\n\nRuns at night, owned by Finance Ops.\n\n## Open points\n\n- retention\n';

// A function: times are those of the call, not of the moment when this file was loaded.
const sampleSteps = (): readonly RunStep[] => [
  step('collect_facts', 'accepted', {
    progress: {
      state: 'accepted',
      attempts: 1,
      submissions: [
        {
          seq: 3,
          at: minutesAgo(40),
          accepted: true,
          outputs: { document: ['docs/facts.md'] },
          files: { 'docs/facts.md': 'sha-facts' },
          said: [{ kind: 'rules', name: 'rules', passed: true, text: '' }],
        },
      ],
    },
  }),
  step('map_dependencies', 'skipped', { when: 'service.kind == "new"' }),
  step('choose_storage', 'current', {
    description: 'Decide where the service keeps its data, and say why.',
    rules: ['document: has a heading "Storage"', 'document: 200 to 4,000 words'],
    checks: [{ name: 'links', run: 'npx markdown-link-check "$DEEPWORK_OUTPUT_DOCUMENT"' }],
    reviews: [
      { run_each: 'step', criteria: ['Every claim names its source', 'Costs are given per month'] },
    ],
    progress: {
      state: 'current',
      attempts: 2,
      submissions: [
        {
          seq: 5,
          at: minutesAgo(22),
          accepted: false,
          outputs: { document: ['docs/storage.md'] },
          files: { 'docs/storage.md': 'sha-before' },
          said: [
            { kind: 'rules', name: 'rules', passed: true, text: '' },
            { kind: 'check', name: 'links', passed: true, text: '14 links, all reachable' },
            {
              kind: 'review',
              name: 'Every claim names its source',
              passed: false,
              text: 'The document names no owner for the nightly export.\nAdd one, then submit again.\n\nThe other criteria are met.',
            },
          ],
        },
        {
          seq: 8,
          at: minutesAgo(9),
          accepted: false,
          outputs: { document: ['docs/storage.md'] },
          files: { 'docs/storage.md': 'sha-after' },
          said: [
            { kind: 'rules', name: 'rules', passed: true, text: '' },
            {
              kind: 'check',
              name: 'links',
              passed: false,
              text: 'docs/storage.md: 1 dead link: /exports',
            },
          ],
        },
      ],
    },
  }),
  step('write_plan', 'to_do'),
  step('review_plan', 'to_do'),
  step('announce', 'to_do'),
];

const EVENTS: readonly [number, string, string | null, string | null, string][] = [
  [50, 'started', null, 'claude-code', 'Started planning/design_service'],
  [49, 'arrived', 'collect_facts', null, 'Began collect_facts'],
  [40, 'judged', 'collect_facts', 'claude-code', 'Submitted docs/facts.md: accepted'],
  [
    40,
    'arrived',
    'choose_storage',
    null,
    'Skipped map_dependencies (service.kind == "new" does not hold); began choose_storage',
  ],
  [
    22,
    'judged',
    'choose_storage',
    'claude-code',
    'Submitted docs/storage.md: turned down by a review: the document names no owner for the nightly export',
  ],
  [18, 'nudged', 'choose_storage', null, 'Stopped with the step open and was sent back (1 of 3)'],
  [10, 'gate_began', 'choose_storage', 'claude-code', 'Checks began: links'],
  [
    9,
    'judged',
    'choose_storage',
    'claude-code',
    'Submitted docs/storage.md: turned down by the check "links"',
  ],
  [
    4,
    'asked',
    'choose_storage',
    'claude-code',
    'Asked a person: Which database should the new service use?',
  ],
];

/** As the server draws it. */
function draw(title: string, steps: readonly RunStep[], isRun: boolean): string {
  const shown = steps.map(({ progress, ...step }) => (isRun ? { ...step, progress } : step));
  const entries = steps.map(({ id }) => ({ kind: 'steps', steps: [id] }) as const);
  return drawSvg(layOut(title, { entries, steps: shown }, SCREEN), { styled: false });
}

function drawSteps(title: string, ...ids: string[]): string {
  return draw(
    title,
    ids.map((id) => step(id, 'to_do')),
    false,
  );
}

export function sampleDetail(run: Run): DrawnRun {
  return {
    run,
    workflow: {
      entries: sampleSteps().map(({ id }) => ({ kind: 'steps', steps: [id] })),
      steps: sampleSteps(),
    },
    events: EVENTS.map(([minutes, type, step_id, by, text], index) => ({
      seq: index + 1,
      at: minutesAgo(minutes),
      type,
      step_id,
      by,
      text,
      data: {},
    })),
    questions: [],
    beside: [],
    resume: `deepwork run --resume ${run.session_id}`,
    drawing_svg: draw(run.workflow, sampleSteps(), true),
  };
}

export function sampleMessages(count: number): TeamMessage[] {
  const agents = ['coordinator', 'backend', 'frontend', 'tester'];
  const texts = [
    'The endpoint for invoices is ready on the branch. It answers 409 when an export is running.',
    'Two tests of the cart fail since this morning; I am looking at them.',
    'Agreed.',
    'Please take the empty state of the list as well.\nIt has no text so far, and the designer has left one in the ticket.',
  ];
  return Array.from({ length: count }, (_, index) => ({
    id: count - index,
    from: agents[index % 4] as string,
    to: agents[(index + 1 + (index % 3)) % 4] as string,
    at: minutesAgo(index * 3),
    text: texts[index % texts.length] as string,
    read: index > 3,
  }));
}

export function sampleProject(): Fixture {
  const questions = [
    sampleQuestion('q-7'),
    sampleQuestion('q-8', {
      kind: 'approval',
      asked_by: 'claude-code',
      session_id: 'c0ffee01',
      text: 'May the release notes be published?',
      choices: ['Approve', 'Send back'],
    }),
  ];
  const board: Board = {
    workspace: '/home/ada/projects/storefront',
    at: new Date().toISOString(),
    runs: sampleRuns(),
    questions,
    damaged: [],
    warnings: [],
    team: {
      agents: [
        { name: 'coordinator', does: 'release/cut_release: draft_notes' },
        { name: 'backend', does: 'planning/design_service: choose_storage' },
        { name: 'frontend', does: null },
        { name: 'tester', does: 'bugs/investigate: reproduce' },
      ],
      status: 'working',
      task: 'Ship the invoice list by Friday',
      messages: { total: 120, unread: 4 },
      todos: [
        { text: 'Endpoint for invoices', status: 'completed' },
        { text: 'Invoice list with paging', status: 'in_progress' },
        { text: 'Empty state', status: 'pending' },
        { text: 'Printable invoices', status: 'cancelled' },
      ],
      progress: [
        { at: minutesAgo(80), agent: 'backend', text: 'Schema of invoices is settled.' },
        {
          at: minutesAgo(30),
          agent: 'frontend',
          text: 'The list shows real data; paging is next.',
        },
      ],
    },
  };
  return {
    board,
    runs: Object.fromEntries(sampleRuns().map((run) => [run.session_id, sampleDetail(run)])),
    questions: questions.map((question) => ({
      ...question,
      ...(question.kind === 'approval' && {
        show: [
          {
            path: 'notes.md',
            sha256: 'b'.repeat(64),
            text: '# 2.4\n\n- Invoices can be exported.\n- Faster search.\n',
          },
        ],
      }),
    })),
    messages: sampleMessages(120),
    definitions: {
      can_start: false,
      jobs: [
        {
          name: 'release',
          summary: 'Everything that a release needs, from the notes to the announcement.',
          workflows: [
            {
              name: 'cut_release',
              summary: 'Notes, migration guide, tag',
              drawing_svg: drawSteps(
                'release/cut_release',
                'collect',
                'draft_notes',
                'review_notes',
                'tag',
                'announce',
              ),
              start: 'Start the deepwork workflow release/cut_release for this goal: …',
              inputs: [
                {
                  name: 'version',
                  description: 'The version that is released',
                  type: 'string',
                  enum: null,
                  required: true,
                  default: null,
                },
                {
                  name: 'channel',
                  description: 'Where it is published',
                  type: 'string',
                  enum: ['next', 'latest'],
                  required: false,
                  default: 'next',
                },
              ],
            },
          ],
          problems: [
            {
              file: '.deepwork/jobs/release/job.yml',
              line: 41,
              column: 7,
              message: "unknown field 'chekcs'; did you mean 'checks'?",
            },
          ],
        },
      ],
      guides: [
        {
          id: 'fix-a-bug',
          title: 'Fix a bug, with a test that fails first',
          drawing_svg: drawSteps('fix-a-bug', 'reproduce', 'test', 'fix'),
          problems: [],
        },
      ],
    },
    files: { 'sha-facts': '# Facts\n', 'sha-before': BEFORE, 'sha-after': AFTER },
  };
}

// Workflows with a hole in them, and sound ones: what a simulation has to find.

export interface Prepared {
  readonly title: string;
  readonly entries: readonly unknown[];
  readonly steps: Readonly<Record<string, object>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Another job, for nested runs. */
  readonly nested?: Pick<Prepared, 'entries' | 'steps'>;
  /** `agent step: by`, sorted. */
  readonly holes: readonly string[];
}

const file = (more: object = {}) => ({ type: 'file', description: 'd', required: true, ...more });
const REVIEW = { run_each: 'step', quality_criteria: { good: 'It is good.' } };
const CHECK = { name: 'tests', run: 'echo the project must not run this; exit 3' };
const RULES = [
  { type: 'contains', value: '## Result', message: 'There is no section "## Result".' },
];
const reviewed = (more: object = {}) => ({ outputs: { out: file() }, reviews: [REVIEW], ...more });
const checked = (more: object = {}) => ({ outputs: { out: file() }, checks: [CHECK], ...more });
const ruled = (more: object = {}) => ({ outputs: { out: file({ rules: RULES }) }, ...more });

export const WITH_HOLES: readonly Prepared[] = [
  {
    title: 'a step without any gate',
    entries: ['plan', 'deploy'],
    steps: { plan: reviewed(), deploy: { outputs: { out: file() } } },
    holes: ['liar deploy: lies in out'],
  },
  {
    title: 'a step that asks for nothing',
    entries: ['plan', 'tidy', 'build'],
    steps: { plan: reviewed(), tidy: { outputs: {} }, build: checked() },
    holes: ['skipper tidy: hands in nothing'],
  },
  {
    title: 'a step whose only output is optional',
    entries: ['plan', 'note'],
    steps: { plan: ruled(), note: { outputs: { out: file({ required: false }) } } },
    holes: ['skipper note: hands in nothing'],
  },
  {
    title: 'rules that anything meets',
    entries: ['plan', 'write'],
    steps: {
      plan: checked(),
      write: {
        outputs: {
          out: file({ rules: [{ type: 'length', min: 3, message: 'It is too short.' }] }),
        },
      },
    },
    holes: ['liar write: lies in out'],
  },
  {
    title: 'rules on one of two outputs',
    entries: ['write'],
    steps: { write: { outputs: { out: file({ rules: RULES }), log: file() } } },
    holes: ['liar write: lies in log'],
  },
  {
    title: 'a review of one of two outputs',
    entries: ['write', 'check'],
    steps: {
      write: {
        outputs: { out: file(), log: file() },
        reviews: [{ ...REVIEW, run_each: 'out' }],
      },
      check: checked(),
    },
    holes: ['liar write: lies in log'],
  },
  {
    title: 'a step without a gate in a loop',
    entries: [
      'plan',
      { loop: { name: 'until_green', steps: ['implement'], until: { check: CHECK }, max: 3 } },
    ],
    steps: { plan: reviewed(), implement: { outputs: { out: file() } } },
    holes: ['liar implement: lies in out'],
  },
  {
    title: 'items that no one looks at',
    entries: ['plan', { for_each: { name: 'each', items: 'plan.out', step: 'migrate' } }],
    steps: { plan: reviewed(), migrate: { outputs: { out: file() } } },
    holes: ['liar migrate: lies in out'],
  },
  {
    title: 'a branch without a gate behind a condition',
    entries: ['plan', 'slow', 'fast'],
    inputs: { mode: { description: 'd', enum: ['slow', 'fast'] } },
    steps: {
      plan: ruled(),
      slow: checked({ when: { var: 'mode', equals: 'slow' } }),
      fast: { outputs: { out: file() }, when: { var: 'mode', equals: 'fast' } },
    },
    holes: ['liar fast: lies in out'],
  },
  {
    title: 'a nested workflow with a step without a gate',
    entries: ['plan', { run: { name: 'sub', job: 'nested', workflow: 'inner' } }],
    steps: { plan: reviewed() },
    nested: { entries: ['dig'], steps: { dig: { outputs: { out: file() } } } },
    holes: ['liar inner: dig: lies in out'],
  },
];

export const SOUND: readonly Prepared[] = [
  {
    title: 'every step has a review, a check or rules',
    entries: ['plan', ['build', 'describe'], 'ship'],
    steps: { plan: reviewed(), build: checked(), describe: ruled(), ship: reviewed() },
    holes: [],
  },
  {
    title: 'a loop, a list, an approval and a condition',
    entries: [
      'plan',
      {
        approve: {
          name: 'go_ahead',
          question: 'Is it good?',
          show: ['plan.out'],
          on_reject: { go_to: 'plan', max: 3 },
        },
      },
      { for_each: { name: 'each', items: 'plan.out', step: 'migrate' } },
      {
        loop: {
          name: 'until_green',
          steps: ['implement'],
          until: { when: { var: 'green' } },
          max: 2,
        },
      },
      'announce',
    ],
    steps: {
      plan: reviewed(),
      migrate: checked(),
      implement: reviewed({ reports: { green: { type: 'boolean', description: 'd' } } }),
      announce: ruled({ when: { var: 'green', equals: true } }),
    },
    holes: [],
  },
];

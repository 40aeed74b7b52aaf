// Which scenarios of the conformance suite fail, and why. The test checks both directions: what is
// not listed here passes, and what is listed here does not; so a gap that closed has to be removed.

import type { Findings, Revision } from './conformance-suite.ts';

export type Tested = 'deepwork' | 'the fixture';

export interface Gap {
  readonly reason: string;
  /** Scenarios that are not passed at all. */
  readonly scenarios?: readonly string[];
  /** Scenarios that are passed but for these checks. */
  readonly checks?: Findings;
}

const TASKS: Gap = {
  reason: 'Tasks are an extension that the SDK does not serve.',
  scenarios: [
    'tasks-capability-negotiation',
    'tasks-dispatch-and-envelope',
    'tasks-lifecycle',
    'tasks-mrtr-composition',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-request-state-removal',
    'tasks-required-task-error',
    'tasks-status-notifications',
    'tasks-wire-fields',
  ],
};

const LISTS_STAY: Gap = {
  reason: 'What deepwork lists does not change while it runs, so it announces no changes.',
  checks: {
    'server-stateless': [
      'skipped sep-2575-server-sends-prompts-list-changed-on-subscription',
      'skipped sep-2575-server-sends-tools-list-changed-on-subscription',
    ],
  },
};

/** Passed by the fixture, in both revisions. */
const FIXTURE_CONTENT: Gap = {
  reason: 'deepwork has tools and prompts, and none by the names of the suite.',
  scenarios: [
    'completion-complete',
    'json-schema-2020-12',
    'prompts-get-embedded-resource',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-with-image',
    'resources-list',
    'resources-read-binary',
    'resources-read-text',
    'resources-templates-read',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-error',
    'tools-call-image',
    'tools-call-mixed-content',
    'tools-call-simple-text',
    'tools-call-with-progress',
  ],
};

/** Passed by the fixture, in the handshake era. */
const FIXTURE_2025: Gap = {
  reason: 'deepwork logs to stderr, offers no resources and asks no models.',
  scenarios: [
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'logging-set-level',
    'resources-subscribe',
    'resources-unsubscribe',
    'tools-call-elicitation',
    'tools-call-sampling',
    'tools-call-with-logging',
  ],
};

/** Passed by the fixture, in the stateless era. */
const FIXTURE_2026: Gap = {
  reason: 'deepwork has none of the tools and prompts that the suite asks by name.',
  scenarios: [
    'http-custom-header-server-validation',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-list-roots',
    'input-required-result-basic-sampling',
    'input-required-result-capability-check',
    'input-required-result-ignore-extra-params',
    'input-required-result-missing-input-response',
    'input-required-result-multi-round',
    'input-required-result-multiple-input-requests',
    'input-required-result-non-tool-request',
    'input-required-result-request-state',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
  ],
  checks: {
    caching: [
      'sep-2549-resources-list-caching-hints',
      'sep-2549-resources-templates-list-caching-hints',
      'skipped sep-2549-resources-read-caching-hints',
    ],
    'sep-2164-resource-not-found': ['warning sep-2164-data-uri', 'warning sep-2164-error-code'],
    'server-stateless': [
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-missing-capability-http-400',
      'sep-2575-server-no-log-without-loglevel',
      'sep-2575-server-rejects-undeclared-capability',
      ...(LISTS_STAY.checks?.['server-stateless'] ?? []),
    ],
  },
};

export const KNOWN_GAPS: Readonly<Record<Tested, Readonly<Record<Revision, readonly Gap[]>>>> = {
  deepwork: {
    '2025-11-25': [FIXTURE_CONTENT, FIXTURE_2025],
    '2026-07-28': [FIXTURE_CONTENT, FIXTURE_2026, TASKS],
  },
  'the fixture': {
    '2025-11-25': [],
    '2026-07-28': [LISTS_STAY, TASKS],
  },
};

// The jobs that a project can start with, in `templates/` beside the program. A template is copied
// unchanged, except for the command that runs the project's tests.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ProjectFiles } from './project-files.ts';
import type { WantedWhole } from './wanted.ts';

export const TEMPLATES = ['blank', 'bug_fix', 'release_notes', 'research_report'] as const;
export type TemplateName = (typeof TEMPLATES)[number];

export const JOBS_PATH = '.deepwork/jobs';

/** The templates' command, which is replaced by this project's. */
const TEST_COMMAND = 'run: npm test';
const HAS_CHECK = /^ *run: npm test$/m;

/** The command that runs the tests, by a file at the project's root. */
const TEST_COMMANDS: readonly (readonly [file: string, command: string])[] = [
  ['package.json', 'npm test'],
  ['Cargo.toml', 'cargo test'],
  ['go.mod', 'go test ./...'],
  ['pyproject.toml', 'python -m pytest'],
  ['setup.py', 'python -m pytest'],
  ['pom.xml', 'mvn -q test'],
  ['gradlew', './gradlew test'],
  ['mix.exs', 'mix test'],
];

export interface TemplateFiles {
  readonly files: readonly WantedWhole[];
  readonly hasCheck: boolean;
  /** It has a check, but no test command is known for this project. */
  readonly needsTestCommand: boolean;
}

export function templateFiles(
  folder: string,
  template: TemplateName,
  project: ProjectFiles,
): TemplateFiles {
  const [, command] = TEST_COMMANDS.find(([file]) => project.exists(file)) ?? [];
  const source = path.join(folder, template);
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => /\.(?:md|yml)$/.test(name))
    .sort();
  let hasCheck = false;
  const files = names.map((name): WantedWhole => {
    const text = readFileSync(path.join(source, name), 'utf8');
    hasCheck ||= HAS_CHECK.test(text);
    return {
      kind: 'whole',
      path: `${JOBS_PATH}/${template}/${name}`,
      group: `first job: ${template}`,
      text: command === undefined ? text : text.replaceAll(TEST_COMMAND, `run: ${command}`),
    };
  });
  return { files, hasCheck, needsTestCommand: hasCheck && command === undefined };
}

/** The folders of the project's jobs. */
export function jobNames(project: ProjectFiles): string[] {
  return project
    .names(JOBS_PATH)
    .filter((name) => project.exists(`${JOBS_PATH}/${name}/job.yml`))
    .sort();
}

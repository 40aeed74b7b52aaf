// The jobs that a project can begin with, in `templates/` beside the program. A template is
// copied as it is, but for the command that runs the project's tests.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ProjectFiles } from './project-files.ts';
import type { WantedWhole } from './wanted.ts';

export const TEMPLATES = ['blank', 'bug_fix', 'release_notes', 'research_report'] as const;
export type TemplateName = (typeof TEMPLATES)[number];

export const JOBS_PATH = '.deepwork/jobs';

/** What the templates say; replaced by what this project has. */
const TEST_COMMAND = 'run: npm test';
const HAS_CHECK = /^ *run: npm test$/m;

/** Files at a project's root, and how its tests are run then. */
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
  /** It has a check, and it is not known how this project's tests are run. */
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

/** A job is a folder in the folder of jobs. */
export function hasJobs(project: ProjectFiles): boolean {
  return project.names(JOBS_PATH).some((name) => project.exists(`${JOBS_PATH}/${name}/job.yml`));
}

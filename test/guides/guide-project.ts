// Projects with guides for tests. Content that is not a string is written as JSON.

import { bytesOf, step, workflow } from '../support/guides.ts';
import { newProject, type Project } from '../support/project.ts';

export { step, workflow };

type Json = Readonly<Record<string, unknown>>;

export const FOLDER = '.deepwork/workflows';

/** Files of `.deepwork/workflows`, by name without the extension. */
export function guideProject(files: Readonly<Record<string, unknown>> = {}): Project {
  const project = newProject();
  for (const [name, content] of Object.entries(files)) writeGuide(project, name, content);
  return project;
}

/** Returns the path. */
export function writeGuide(project: Project, name: string, content: unknown): string {
  return project.write(`${FOLDER}/${name}.json`, bytesOf(content));
}

/** A guide of one step that has these parts. */
export function oneStep(id: string, parts: Json): Json {
  return workflow({ id, steps: [step(parts)] });
}

/** A guide of one step that has these criteria. */
export function withCriteria(id: string, validationCriteria: unknown): Json {
  return oneStep(id, { validationCriteria });
}

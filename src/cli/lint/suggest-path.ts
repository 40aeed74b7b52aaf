// Other commands take the name of a job or a guide, lint takes paths. For a path that does not exist,
// finds the definition with that name.

import { existsSync } from 'node:fs';
import path from 'node:path';

interface Folders {
  readonly jobs: readonly string[];
  readonly guides: readonly string[];
}

/** The path of the job (`name` or `name/workflow`) or guide that has this name; null if none has. */
export function meantPath(name: string, { jobs, guides }: Folders): string | null {
  const [job = '', ...rest] = name.split('/');
  if (job === '' || job === '.' || job === '..' || rest.length > 1) return null;
  const ofJobs = jobs.map((folder) => path.join(folder, job));
  const found = ofJobs.find((folder) => existsSync(path.join(folder, 'job.yml')));
  if (found !== undefined || rest.length > 0) return found ?? null;
  return guides.map((folder) => path.join(folder, `${name}.json`)).find(existsSync) ?? null;
}

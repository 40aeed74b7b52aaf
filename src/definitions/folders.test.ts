import { delimiter, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { guideFolders, jobFolders } from './folders.ts';

const resolved = (...paths: string[]) => paths.map((path) => resolve(path));
/** Blanks are skipped, and what is relative starts at the project. */
const NAMED = ['', ' /x ', '  ', 'more/jobs'].join(delimiter);

it('jobs are in the project, then bundled, then where the environment says', () => {
  verifies('JOBS-X.2');
  const env = { DEEPWORK_ADDITIONAL_JOBS_FOLDERS: NAMED };
  expect(jobFolders('/project', env, '/bundled')).toEqual(
    resolved('/project/.deepwork/jobs', '/bundled', '/x', '/project/more/jobs'),
  );
  expect(jobFolders('/project', {}, null)).toEqual(resolved('/project/.deepwork/jobs'));
});

it('guides are in the project, of the user, where the environment says, then bundled', () => {
  verifies('GUIDE-10');
  const env = { DEEPWORK_WORKFLOW_FOLDERS: NAMED };
  const own = [
    '/project/.deepwork/workflows',
    '/project/workflows',
    '/home/me/.deepwork/workflows',
  ];
  expect(guideFolders('/project', env, '/home/me', '/bundled')).toEqual(
    resolved(...own, '/x', '/project/more/jobs', '/bundled'),
  );
  expect(guideFolders('/project', {}, '/home/me', null)).toEqual(resolved(...own));
});

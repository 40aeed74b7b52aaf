import { delimiter, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { guideFolders, jobFolders } from './folders.ts';

describe('jobFolders', () => {
  it('has the project first, then the bundled jobs, then the environment', () => {
    verifies('JOBS-X.2');
    const env = { DEEPWORK_ADDITIONAL_JOBS_FOLDERS: ['/x', '/y'].join(delimiter) };
    expect(jobFolders('/project', env, '/bundled')).toEqual([
      resolve('/project/.deepwork/jobs'),
      resolve('/bundled'),
      resolve('/x'),
      resolve('/y'),
    ]);
    expect(jobFolders('/project', {}, null)).toEqual([resolve('/project/.deepwork/jobs')]);
  });

  it('trims the environment, skips blanks, and starts relative folders at the project', () => {
    verifies('JOBS-X.2');
    const env = {
      DEEPWORK_ADDITIONAL_JOBS_FOLDERS: ['', ' /x ', '  ', 'more/jobs'].join(delimiter),
    };
    expect(jobFolders('/project', env, null).slice(1)).toEqual([
      resolve('/x'),
      resolve('/project/more/jobs'),
    ]);
  });
});

describe('guideFolders', () => {
  it('has the project first, then the user, the environment, and the bundled guides', () => {
    verifies('GUIDE-10');
    const env = { DEEPWORK_WORKFLOW_FOLDERS: ['/x', '/y'].join(delimiter) };
    expect(guideFolders('/project', env, '/home/me', '/bundled')).toEqual(
      [
        '/project/.deepwork/workflows',
        '/project/workflows',
        '/home/me/.deepwork/workflows',
        '/x',
        '/y',
        '/bundled',
      ].map((path) => resolve(path)),
    );
  });

  it('trims the environment, skips blanks, and starts relative folders at the project', () => {
    const env = { DEEPWORK_WORKFLOW_FOLDERS: ['', ' /x ', '  ', 'more'].join(delimiter) };
    expect(guideFolders('/project', env, '/home/me', null).slice(3)).toEqual(
      ['/x', '/project/more'].map((path) => resolve(path)),
    );
    expect(guideFolders('/project', {}, '/home/me', null)).toHaveLength(3);
  });
});

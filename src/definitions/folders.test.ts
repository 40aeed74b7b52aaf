import { delimiter, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { jobFolders } from './folders.ts';

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

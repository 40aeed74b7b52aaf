import { delimiter, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { guideFolders } from './folders.ts';

describe('guideFolders', () => {
  it('goes from the project over the person and the environment to what is bundled', () => {
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

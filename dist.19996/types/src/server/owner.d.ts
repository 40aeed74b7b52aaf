import type { Owner } from '../core/session/state.ts';
export declare function stdioOwner(env: NodeJS.ProcessEnv): Owner;

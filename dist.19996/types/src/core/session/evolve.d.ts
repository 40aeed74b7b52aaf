import { type Session, type SessionEvent } from './state.ts';
export declare function evolve(session: Session | null, event: SessionEvent): Session;

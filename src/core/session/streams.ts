// The names of the streams of sessions, which end with the id of the session.

export const SESSION_STREAMS = 'session/';

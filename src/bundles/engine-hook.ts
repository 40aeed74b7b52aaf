// What a client's hook needs when a session is open, without the MCP SDK.

export { answerHook } from '../hook/answer-hook.ts';

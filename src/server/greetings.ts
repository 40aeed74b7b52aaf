// The answers to a client's opening question, as the SDK gave them when this build was
// made: `initialize` by protocol version, `server/discover` for the newer era. They are
// used only for openings that are beyond doubt; all others wait for the SDK.

export interface Greetings {
  readonly initialize: Readonly<Record<string, object>>;
  readonly discover: Readonly<Record<string, object>>;
}

export const NO_GREETINGS: Greetings = { initialize: {}, discover: {} };

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

export function greetingFor(
  greetings: Greetings,
  message: Readonly<Record<string, unknown>>,
): object | null {
  const { id, method, params } = message;
  if (id === undefined || !isObject(params)) return null;
  if (method === 'initialize') {
    const { protocolVersion, capabilities, clientInfo, _meta } = params;
    const plain = isPlain(capabilities) && isClient(clientInfo) && _meta === undefined;
    return plain ? pick(greetings.initialize, protocolVersion) : null;
  }
  if (method === 'server/discover') {
    const meta = params._meta;
    if (!isObject(meta) || Object.keys(params).length !== 1) return null;
    const plain =
      isPlain(meta[CAPABILITIES_KEY]) &&
      isClient(meta[CLIENT_KEY]) &&
      Object.keys(meta).length === 3;
    return plain ? pick(greetings.discover, meta[VERSION_KEY]) : null;
  }
  return null;
}

function pick(answers: Readonly<Record<string, object>>, version: unknown): object | null {
  if (typeof version !== 'string' || !Object.hasOwn(answers, version)) return null;
  return answers[version] ?? null;
}

function isClient(value: unknown): boolean {
  return isObject(value) && typeof value.name === 'string' && typeof value.version === 'string';
}

/** Capabilities are objects of objects; anything else is for the SDK to judge. */
function isPlain(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isObject);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Whether a request was meant for this server. A web page can send requests to any address,
// and with a name of its own that points here (DNS rebinding) even read the answers; but it
// cannot choose the Host and Origin that its browser sends.

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/;
const ORIGIN = /^(https?):\/\/([^/]+)$/;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

/** On this machine, with the port we listen on. */
export function isLocal(address: WebAddress, port: number): boolean {
  // We do not speak TLS, so an https page of this machine is not ours.
  return LOOPBACK.includes(address.name) && address.scheme === 'http' && address.port === port;
}

/** In `team.allowed_hosts`: names, with or without a port. */
export function isAllowed({ name, authority }: WebAddress, allowed: readonly string[]): boolean {
  return allowed.some((each) => [name, authority].includes(each.toLowerCase()));
}

export interface WebAddress {
  readonly scheme: string;
  /** As written, in lower case. */
  readonly authority: string;
  readonly name: string;
  readonly port: number;
}

export function addressOfHost(host: string): WebAddress | null {
  return readAddress('http', host.toLowerCase());
}

/** Null for `null`, which browsers send for pages without an address. */
export function addressOfOrigin(origin: string): WebAddress | null {
  const [, scheme, authority] = ORIGIN.exec(origin.toLowerCase()) ?? [];
  return scheme === undefined || authority === undefined ? null : readAddress(scheme, authority);
}

function readAddress(scheme: string, authority: string): WebAddress | null {
  const [, name, given] = AUTHORITY.exec(authority) ?? [];
  if (name === undefined) return null;
  const port = given === undefined ? DEFAULT_PORTS[scheme] : Number(given);
  return { scheme, authority, name, port: port ?? 0 };
}

// The address of a database as people may see it: without user, password and parameters.

/** `db.example:5432/app`, or a placeholder if the address is invalid. */
export function shownAddress(url: string): string {
  try {
    const { hostname, host, port, pathname } = new URL(url);
    const name = decodeURIComponent(pathname.slice(1));
    const where = hostname === '' ? 'localhost' : decodeURIComponent(hostname);
    const at = host === '' ? 'localhost:5432' : `${where}:${port === '' ? 5432 : port}`;
    return name === '' ? at : `${at}/${name}`;
  } catch {
    return 'an invalid address';
  }
}

/** Removes the secret parts of the address from a message of the driver or the server. */
export function withoutSecrets(text: string, url: string): string {
  let clean = text.replaceAll(url, '<address>');
  for (const secret of secretsOf(url)) clean = clean.replaceAll(secret, '***');
  return clean.replace(/(postgres(?:ql)?:\/\/)[^\s/@]*@/g, '$1');
}

/** Shorter ones may be ordinary words. */
const MIN_SECRET_LENGTH = 4;

function secretsOf(url: string): string[] {
  try {
    const { password } = new URL(url);
    return [password, decodeURIComponent(password)].filter(
      (each) => each.length >= MIN_SECRET_LENGTH,
    );
  } catch {
    return [];
  }
}

// The name that is recorded with a person's answers and decisions; the browser remembers it. Without
// one, the server uses the user that it runs as.

const KEY = 'deepwork:name';

export function personName(): string {
  return localStorage.getItem(KEY) ?? '';
}

export function rememberPerson(name: string): void {
  localStorage.setItem(KEY, name);
}

/** As a field of a request. */
export function byPerson(): { readonly by?: string } {
  const name = personName().trim();
  return name === '' ? {} : { by: name };
}

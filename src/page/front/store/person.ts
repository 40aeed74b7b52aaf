// The name that a person wants on record with answers and steering; the browser remembers it.
// Without one, the server takes the user that it runs as.

const KEY = 'deepwork:name';

export function personName(): string {
  return localStorage.getItem(KEY) ?? '';
}

export function rememberPerson(name: string): void {
  localStorage.setItem(KEY, name);
}

/** As part of a request. */
export function by(): { readonly by?: string } {
  const name = personName().trim();
  return name === '' ? {} : { by: name };
}

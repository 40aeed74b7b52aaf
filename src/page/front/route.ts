// The current view, in the hash of the address. The server has one page at `/` and uses the other
// paths itself (`/mcp`, `/questions`, `/api`), and a reload needs only `/` from the cache.

export type Route =
  | { readonly view: 'runs' }
  | {
      readonly view: 'run';
      readonly id: string;
      /** As it was after this event; null: now. */
      readonly at: number | null;
    }
  | { readonly view: 'questions' }
  | { readonly view: 'team' }
  | { readonly view: 'workflows' };

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view, id] = path.split('/');
  if (view === 'runs' && id) {
    const at = new URLSearchParams(query).get('at');
    return { view: 'run', id: decode(id), at: at && /^\d{1,15}$/.test(at) ? Number(at) : null };
  }
  if (view === 'questions' || view === 'team' || view === 'workflows') return { view };
  return { view: 'runs' };
}

export function hashOf(route: Route): string {
  if (route.view !== 'run') return `#/${route.view}`;
  const at = route.at === null ? '' : `?at=${route.at}`;
  return `#/runs/${encodeURIComponent(route.id)}${at}`;
}

export function linkToRun(id: string): string {
  return hashOf({ view: 'run', id, at: null });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// JSON values. Keys are set as own properties whatever their name, because a file may contain
// `__proto__`.

export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function copyOf<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

export function setKey(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** One place in a value: an item of a list, or the value of a key. */
export interface Place {
  readonly holder: Json[] | JsonObject;
  readonly key: string | number;
}

export function valueAt({ holder, key }: Place): Json {
  return (holder as Record<string | number, Json>)[key] as Json;
}

export function replaceAt({ holder, key }: Place, value: Json): void {
  if (Array.isArray(holder)) holder[key as number] = value;
  else setKey(holder, String(key), value);
}

export function removeAt({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(key as number, 1);
  else delete holder[key];
}

/** Every place below a holder, outermost first. */
export function placesIn(root: Json[] | JsonObject): Place[] {
  const places: Place[] = [];
  const pending: (Json[] | JsonObject)[] = [root];
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    const keys = Array.isArray(holder) ? holder.keys() : Object.keys(holder);
    for (const key of keys) {
      const place: Place = { holder, key };
      const value = valueAt(place);
      places.push(place);
      if (typeof value === 'object' && value !== null) pending.push(value);
    }
  }
  return places;
}

/** Every object in a value, with the JSON Pointer to it. */
export function objectsIn(value: Json, pointer = ''): { pointer: string; object: JsonObject }[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([key, inner]) =>
    objectsIn(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return isObject(value) ? [{ pointer, object: value }, ...below] : below;
}

// The smallest JSON that fits a schema, for requests in which a client asks its model for
// data (a title, a route) that no test is about.

import type { Json } from './wire.ts';

export function sampleOf(schema: Json): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (String(schema.type).toLowerCase()) {
    case 'object': {
      const properties = (schema.properties ?? {}) as Readonly<Record<string, Json>>;
      const fields = Object.entries(properties).map(([name, field]) => [name, sampleOf(field)]);
      return Object.fromEntries(fields);
    }
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return false;
    default:
      return 'None';
  }
}

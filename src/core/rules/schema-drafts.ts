// The two supported drafts of JSON Schema, and how Ajv is set up for them. The library is
// large, so it is imported only when a schema needs it. Checking a schema against its
// metaschema, the slow part of creating an Ajv, uses one shared instance per draft.

import type { Ajv, Options, ValidateFunction } from 'ajv';
import { compileSchemaPattern } from './regex.ts';

interface Draft {
  /** The metaschema, compiled. */
  readonly isSchema: ValidateFunction;
  /** A fresh instance, so that equal `$id`s do not clash and nothing accumulates. */
  open(allErrors?: boolean): Ajv;
}

const DRAFT_07 = 'http://json-schema.org/draft-07/schema';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const DRAFTS = [DRAFT_07, DRAFT_2020] as const;
type DraftId = (typeof DRAFTS)[number];

export const KNOWN_DRAFTS = `${DRAFT_07}# and ${DRAFT_2020}`;

/** Own properties only: `{}` has no `constructor` for a schema to find. */
const COMMON: Options = { strict: false, logger: false, ownProperties: true };

const opened = new Map<DraftId, Promise<Draft>>();

/** The draft that a schema names; draft-07 if it names none, null if it is unknown. */
export function draftOf(schema: Readonly<Record<string, unknown>>): DraftId | null {
  if (!Object.hasOwn(schema, '$schema')) return DRAFT_07;
  const written = schema.$schema;
  if (typeof written !== 'string') return null;
  return DRAFTS.find((id) => normalize(id) === normalize(written)) ?? null;
}

export function openDraft(id: DraftId): Promise<Draft> {
  const draft = opened.get(id) ?? importDraft(id);
  opened.set(id, draft);
  return draft;
}

/** Without the scheme and a trailing `#`, which are written in different ways. */
function normalize(uri: string): string {
  return uri.replace(/^https?:/, '').replace(/#$/, '');
}

async function importDraft(id: DraftId): Promise<Draft> {
  const [formats, makeAjv] = await Promise.all([import('ajv-formats'), importAjv(id)]);
  const addFormats = formats.default.default;
  const judge = makeAjv({ ...COMMON, allErrors: true, validateFormats: false });
  const isSchema = judge.getSchema(id);
  if (isSchema === undefined) throw new Error(`Ajv has no metaschema ${id}`);
  return {
    isSchema,
    open(allErrors = false) {
      const ajv = makeAjv({
        ...COMMON,
        allErrors,
        validateSchema: false,
        inlineRefs: false,
        // Draft-07 ignores keywords beside a `$ref`; 2020-12 applies them.
        ignoreKeywordsWithRef: id === DRAFT_07,
        // 19.99 is a multiple of 0.01 in spite of binary fractions.
        multipleOfPrecision: 6,
        code: { regExp: Object.assign(schemaRegExp, { code: 'new RegExp' }) },
      });
      addFormats(ajv);
      return ajv;
    },
  };
}

async function importAjv(id: DraftId): Promise<(options: Options) => Ajv> {
  if (id === DRAFT_07) {
    const { Ajv } = await import('ajv');
    return (options) => new Ajv(options);
  }
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  return (options) => new Ajv2020(options);
}

/** Ajv calls this for each `pattern`; all patterns were checked before. */
function schemaRegExp(pattern: string): RegExp {
  const compiled = compileSchemaPattern(pattern);
  if (compiled.kind === 'problem') throw new Error(compiled.message);
  return compiled.regex;
}

import { z } from 'zod';

/** A schema without its wrappers: null, defaults, transformations. */
interface Core {
  readonly schema: z.core.$ZodType;
  readonly takesNull: boolean;
  /** The example that the OpenAPI document shows. */
  readonly example: unknown;
}

/**
 * The values that a field accepts, for a sentence after `must be`: `a whole number from 1 to 120, for example 30`.
 * undefined: the schema is not simple.
 */
export function acceptedValue(schema: z.core.$ZodType): string | undefined {
  const { schema: core, takesNull, example } = coreOf(schema);
  const phrase = ownRule(core) ?? phraseOf(core);
  if (phrase === undefined) return undefined;
  if (takesNull && core instanceof z.ZodBoolean) return 'true, false or null';
  const orNull = takesNull ? `${phrase.includes(',') ? ',' : ''} or null` : '';
  // A list in a query is sent as a text.
  const shown = core instanceof z.ZodString && Array.isArray(example) ? example.join() : example;
  const isShown = example === undefined || phrase.includes('for example');
  return `${phrase}${orNull}${isShown ? '' : `, for example ${JSON.stringify(shown)}`}`;
}

export function expectsText(schema: z.core.$ZodType | undefined): boolean {
  if (schema === undefined) return false;
  const { schema: core } = coreOf(schema);
  return core instanceof z.ZodString || core instanceof z.ZodEnum;
}

/** The schema of the value at `path` inside `schema`; undefined: it has none. */
export function schemaAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  let at: z.core.$ZodType | undefined = schema;
  for (const step of path) {
    const core: z.core.$ZodType = coreOf(at).schema;
    if (core instanceof z.ZodObject)
      at = Object.hasOwn(core.shape, step) ? core.shape[String(step)] : undefined;
    else if (core instanceof z.ZodArray) at = core.element;
    else if (core instanceof z.ZodRecord) at = core.valueType;
    else if (core instanceof z.ZodUnion)
      at = core.options.map((option) => schemaAt(option, [step])).find((found) => found !== undefined);
    else return undefined;
    if (at === undefined) return undefined;
  }
  return at;
}

/** The field names of an object's schema. */
export function namesOf(schema: z.core.$ZodType | undefined): readonly string[] {
  const core = schema === undefined ? undefined : coreOf(schema).schema;
  if (core instanceof z.ZodUnion) return core.options.flatMap(namesOf);
  return core instanceof z.ZodObject ? Object.keys(core.shape) : [];
}

function coreOf(schema: z.core.$ZodType): Core {
  let core = schema;
  let takesNull = false;
  let example = exampleOf(core);
  for (;;) {
    const inner: z.core.$ZodType | undefined = innerOf(core);
    if (inner === undefined) return { schema: core, takesNull, example };
    takesNull ||= core instanceof z.ZodNullable;
    core = inner;
    example ??= exampleOf(core);
  }
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return schema.unwrap();
  return schema instanceof z.ZodPipe ? schema.in : undefined;
}

function exampleOf(schema: z.core.$ZodType): unknown {
  const meta: Readonly<Record<string, unknown>> | undefined = z.globalRegistry.get(schema);
  const examples = meta?.['examples'];
  return meta?.['example'] ?? (Array.isArray(examples) ? examples[0] : undefined);
}

/** The schema's message (`meta({ whenMissing })`) for a missing value. */
export function whenMissing(schema: z.core.$ZodType): string | undefined {
  const meta: Readonly<Record<string, unknown>> | undefined = z.globalRegistry.get(schema);
  const message = meta?.['whenMissing'];
  return typeof message === 'string' ? message : undefined;
}

/** The message of the schema's pattern after `must be`, which is more exact than the type. */
function ownRule(schema: z.core.$ZodType): string | undefined {
  const begin = 'must be ';
  for (const check of schema._zod.def.checks ?? []) {
    const { error, check: kind } = check._zod.def;
    if (error === undefined || kind !== 'string_format') continue;
    const message: unknown = Reflect.apply(error, undefined, [
      { code: 'custom', input: undefined, path: [] },
    ]);
    if (typeof message === 'string' && message.startsWith(begin)) return message.slice(begin.length);
  }
  return undefined;
}

function phraseOf(schema: z.core.$ZodType): string | undefined {
  if (schema instanceof z.ZodNumber) return numberPhrase(schema);
  if (schema instanceof z.ZodString)
    return `a text${sizePhrase(schema.minLength, schema.maxLength, 'characters')}`;
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodEnum) return choice(schema.options);
  if (schema instanceof z.ZodLiteral) return choice([...schema.values]);
  if (schema instanceof z.ZodArray) {
    return `a list${sizePhrase(null, maxEntriesOf(schema), 'entries')}`;
  }
  if (schema instanceof z.ZodUnion) {
    const phrases = schema.options.map(acceptedValue);
    return phrases.includes(undefined) ? undefined : phrases.join(', or ');
  }
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord ? 'an object' : undefined;
}

function numberPhrase(schema: z.ZodNumber): string {
  const [min, max] = [bound(schema.minValue), bound(schema.maxValue)];
  const name = schema.format === 'safeint' || schema.isInt ? 'a whole number' : 'a number';
  if (min !== null && max !== null) return `${name} from ${min} to ${max}`;
  if (min !== null) return `${name} of at least ${min}`;
  return max === null ? name : `${name} of at most ${max}`;
}

/** The limit of JavaScript's exact integers is no bound for people. */
function bound(value: number | null): number | null {
  return value === null || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? null : value;
}

function sizePhrase(minSize: number | null, max: number | null, unit: string): string {
  const min = minSize ?? 0;
  if (max === null) return min > 0 ? ` of at least ${min} ${unit}` : '';
  return min > 0 ? ` of ${min} to ${max} ${unit}` : ` of at most ${max} ${unit}`;
}

function choice(values: readonly unknown[]): string {
  const [only] = values;
  const shown = values.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value)));
  return shown.length === 1 ? JSON.stringify(only) : `one of ${shown.join(', ')}`;
}

function maxEntriesOf(schema: z.ZodArray): number | null {
  for (const check of schema._zod.def.checks ?? []) {
    const { def } = check._zod;
    if ('maximum' in def && typeof def.maximum === 'number') return def.maximum;
  }
  return null;
}

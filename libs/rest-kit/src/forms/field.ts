import { isPlainLine, plainLineRule } from '@vantage/domain';
import { boundedText, type FieldFault, faultsOf, idForm, unknownField } from '@vantage/kernel';
import { z } from 'zod';
import { invalid } from '../serve/problem.ts';
import type { Zone } from './zone.ts';

/** An id. */
export const idField = z
  .string()
  .regex(new RegExp(`^${idForm}$`))
  .meta({ id: 'Id', description: 'Opaque identifier.' });

/** A timestamp in an answer, in the account's time zone. */
export const timestampField = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
  .meta({ id: 'Timestamp', description: "ISO 8601, in the account's time zone." });

/** The times at which a resource was created and its settings last changed. Callers cannot set them. */
export const shownTimes = {
  CreatedAt: timestampField.describe('When it was created.'),
  UpdatedAt: timestampField.describe('When its settings were changed last.'),
} as const;

/** The names of `shownTimes`. */
export const timeNames = ['CreatedAt', 'UpdatedAt'] as const;

/** Shows them. */
export function showTimes(
  row: { readonly created_at: Date; readonly updated_at: Date },
  zone: Pick<Zone, 'format'>,
): { readonly CreatedAt: string; readonly UpdatedAt: string } {
  const us = (date: Date) => date.getTime() * 1000;
  return { CreatedAt: zone.format(us(row.created_at)), ...showUpdated(us(row.updated_at), zone) };
}

/**
 * The microsecond of the last change, for the ETag: UpdatedAt has whole seconds, and a masked secret may change twice
 * within one. No answer shows it.
 */
export const updatedUs = Symbol('updatedUs');

/** Shows when a thing was changed last. */
export function showUpdated(
  us: number,
  zone: Pick<Zone, 'format'>,
): { readonly UpdatedAt: string; readonly [updatedUs]: number } {
  return { UpdatedAt: zone.format(us), [updatedUs]: us };
}

const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * A text for people in a request: one line of `least` to `most` characters, see `isPlainLine`. It is trimmed and
 * normalized (NFC), and has a visible character where it may not be empty.
 */
export function lineField(most: number, least = 0): z.ZodString {
  const line = boundedText(most, least).normalize('NFC').trim().refine(isPlainLine, { error: plainLineRule });
  return least === 0 ? line : line.refine((text) => visible.test(text), { error: visibleRule });
}

const visibleRule = 'must have a visible character; accepted is for example: Web shop, Berlin';

/** A flag in a query: `true` or `Y`, `false` or `N`; undefined where it is absent. */
export function flagQuery(description: string) {
  return z
    .enum(['true', 'Y', 'false', 'N'])
    .transform((text) => text === 'true' || text === 'Y')
    .optional()
    .meta({ description, override: { type: 'string', enum: ['true', 'Y', 'false', 'N'] }, example: 'true' });
}

/** Parameters of every route: the key and the answer's form. They are read elsewhere. */
const common = ['api_key', 'fmt', 'filename'];
/** Ignored: some clients add it, with the time, to get past caches. */
const ignored = '_';
/** Said by its name alone: `?stream`. */
const mayBeEmpty = 'stream';
/** Parameters as many other APIs call them. */
const otherNames = {
  page: 'Offset',
  per_page: 'Limit',
  page_size: 'Limit',
  q: 'Search',
  query: 'Search',
  order: 'Sort',
  order_by: 'Sort',
  sort_by: 'Sort',
  apikey: 'api_key',
  key: 'api_key',
  format: 'fmt',
};
/** Made once: making a schema costs as much as answering a small request. */
const noParameters = z.object({});
const noFields = z.strictObject({});

/**
 * Reads the query by its schema. Throws a Problem (1004) that names every fault, and every parameter that is unknown,
 * in another letter case, or sent more than once.
 */
export function readQuery<Schema extends z.ZodObject>(
  schema: Schema | undefined,
  query: URLSearchParams,
): z.output<Schema>;
export function readQuery(schema: z.ZodObject = noParameters, query: URLSearchParams): unknown {
  const known = [...Object.keys(schema.shape), ...common];
  const faults: FieldFault[] = [];
  const sent: [string, string][] = [];
  for (const name of new Set(query.keys())) {
    const [value = '', ...more] = query.getAll(name);
    if (name === ignored) continue;
    if (!known.includes(name))
      faults.push(
        unknownField(name, known, { kind: 'query parameter', reason: 'unknown_parameter', otherNames }),
      );
    else if (more.length > 0)
      faults.push({
        field: name,
        message: `was sent ${more.length + 1} times; send it once`,
        reason: 'repeated_parameter',
      });
    else if (!common.includes(name)) sent.push([name, value]);
  }
  faults.push(...sent.flatMap(([name, value]) => storedTextFault(name, value) ?? []));
  const result = schema.safeParse(Object.fromEntries(sent), { reportInput: true });
  if (!result.success) {
    const before = new Set(faults.map(({ field }) => field));
    faults.push(...faultsOf(result.error, schema).filter(({ field }) => !before.has(field)));
  }
  const named = new Set(faults.map(({ field }) => field));
  for (const [name, value] of sent)
    if (value === '' && name !== mayBeEmpty && !named.has(name))
      faults.push({ field: name, message: 'is empty; send a value, or leave it out' });
  if (faults.length > 0 || !result.success) throw invalid(faults);
  return result.data;
}

/** Reads a body by its schema, ignoring the fields that are read-only. Throws a Problem (1004). */
export function readFields<Schema extends z.ZodObject>(
  schema: Schema | undefined,
  body: Readonly<Record<string, unknown>>,
  readOnly: readonly string[],
): z.output<Schema>;
export function readFields(
  schema: z.ZodObject = noFields,
  body: Readonly<Record<string, unknown>>,
  readOnly: readonly string[],
): unknown {
  const settable = Object.entries(body).filter(
    ([name]) => Object.hasOwn(schema.shape, name) || !readOnly.includes(name),
  );
  return parse(schema, Object.fromEntries(settable));
}

/** Like `readFields`, but field by field: what was sent well, and what is wrong with the others. Never throws. */
export function validateFields<Schema extends z.ZodObject>(
  schema: Schema,
  body: Readonly<Record<string, unknown>>,
  readOnly: readonly string[],
): { readonly values: Partial<z.output<Schema>>; readonly faults: readonly FieldFault[] };
export function validateFields(
  schema: z.ZodObject,
  body: Readonly<Record<string, unknown>>,
  readOnly: readonly string[],
): { readonly values: Record<string, unknown>; readonly faults: readonly FieldFault[] } {
  const values: Record<string, unknown> = {};
  const faults: FieldFault[] = [];
  for (const [name, field] of Object.entries(schema.shape)) {
    const result = z.safeParse(field, Object.hasOwn(body, name) ? body[name] : undefined, {
      reportInput: true,
    });
    if (!result.success) faults.push(...faultsOf(result.error, field, name));
    else if (result.data !== undefined) values[name] = result.data;
  }
  for (const name of Object.keys(body))
    if (!Object.hasOwn(schema.shape, name) && !readOnly.includes(name))
      faults.push(unknownField(name, Object.keys(schema.shape)));
  return { values, faults };
}

function parse(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw invalid(faultsOf(result.error, schema));
}

/** The fault of a text that PostgreSQL cannot hold: with a NUL, or half of a surrogate pair. Pure. */
export function storedTextFault(field: string, text: string): FieldFault | undefined {
  if (text.isWellFormed() && !text.includes('\0')) return undefined;
  return { field, message: 'must be Unicode text without NUL characters and halves of surrogate pairs' };
}

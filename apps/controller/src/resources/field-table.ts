import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/**
 * A field that the database stores in a column of its own, with all that is known of it. The functions below derive
 * from tables of such fields how they are sent, stored, compared and shown.
 */
export interface Field {
  readonly column: string;
  /** The values that clients may send, besides null. */
  readonly schema: z.ZodType;
  /** The values in answers, where they are not those of `schema`. */
  readonly shownSchema?: z.ZodType;
  /** Describes it in answers; in requests, too, with its default, unless there is a `sentText`. */
  readonly text: string;
  readonly sentText?: string;
  /** Of the OpenAPI document. */
  readonly example?: unknown;
  /** The text about a wrong value names the example, too. */
  readonly isExampleSaid?: boolean;
  /** The stored value where a client sends nothing, or null. With the default null, the column may be null. */
  readonly byDefault: unknown;
  /** Clients must send it with a new resource, and never null. */
  readonly isRequired?: boolean;
  /** Gives the stored value of a sent one that is not null, where they differ. */
  readonly store?: (sent: never) => unknown;
  /** Gives the shown value of a stored one that is not null. Sent back, it leaves the stored one as it is. */
  readonly show?: (stored: never) => unknown;
}

/** Fields by their names in the REST API, in the order of requests. */
export type Fields = Readonly<Record<string, Field>>;

/** A database returns numbers, whichever of them a client may send. */
type Widened<T> = T extends number ? number : T;
type OrNull<F extends Field> = null extends F['byDefault'] ? null : never;
type Stored<F extends Field> =
  | (F extends { readonly store: (sent: never) => infer Value } ? Value : Widened<z.output<F['schema']>>)
  | OrNull<F>;
type Shown<F extends Field> =
  | (F extends { readonly show: (stored: never) => infer Value } ? Value : Stored<F>)
  | OrNull<F>;

/** The stored values by the names of their columns. */
export type RowOf<T extends Fields> = { readonly [Name in keyof T as T[Name]['column']]: Stored<T[Name]> };
/** The values as answers have them. */
export type ShownOf<T extends Fields> = { [Name in keyof T]: Shown<T[Name]> };
/** The values that a client sent: what is absent stays, null sets the default. */
export type SentOf<T extends Fields> = {
  readonly [Name in keyof T]?: z.output<T[Name]['schema']> | null | undefined;
};

type Optional<F extends Field> = z.ZodOptional<z.ZodNullable<F['schema']>>;
type CreateShape<T extends Fields> = {
  [Name in keyof T]: T[Name] extends { readonly isRequired: true } ? T[Name]['schema'] : Optional<T[Name]>;
};
type UpdateShape<T extends Fields> = {
  [Name in keyof T]: T[Name] extends { readonly isRequired: true }
    ? z.ZodOptional<T[Name]['schema']>
    : Optional<T[Name]>;
};
type ShownShape<T extends Fields> = { [Name in keyof T]: z.ZodType<Shown<T[Name]>, Shown<T[Name]>> };

/** The fields in the body of a request that creates a resource. */
export function createShape<T extends Fields>(fields: T): CreateShape<T> {
  return mapFields(fields, sentSchema) as CreateShape<T>;
}

/** The fields in the body of a request that changes a resource. */
export function updateShape<T extends Fields>(fields: T): UpdateShape<T> {
  return mapFields(fields, (field) =>
    field.isRequired === true ? sentSchema(field).optional() : sentSchema(field),
  ) as UpdateShape<T>;
}

/** The fields in an answer, which a later version may give other values. */
export function shownShape<T extends Fields>(fields: T): ShownShape<T> {
  return mapFields(fields, (field) => {
    const { schema, shownSchema = openSchema(schema), byDefault, text, sentText } = field;
    const open = byDefault === null ? shownSchema.nullable() : shownSchema;
    return open.meta({ fact: factOf(field), ...(sentText === undefined ? {} : { description: text }) });
  }) as ShownShape<T>;
}

function sentSchema(field: Field): z.ZodType {
  const { schema, isRequired, text, sentText, byDefault, example, isExampleSaid } = field;
  const description = sentText ?? `${text.replace(/\.$/, '')}; default ${String(byDefault)}.`;
  const sent = isRequired === true ? schema : schema.nullable().optional();
  return sent.meta({ fact: factOf(field), description, ...(isExampleSaid === true ? { example } : {}) });
}

/** The facts by which the OpenAPI document describes a field (`api/openapi/describe.ts`). */
export function factOf({ schema, text, example }: Field) {
  return { text, example, ...(schema instanceof z.ZodLiteral ? { enum: [...schema.values] } : {}) };
}

function openSchema(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNumber || schema instanceof z.ZodLiteral) return z.int();
  return schema instanceof z.ZodString ? z.string() : schema;
}

/** The names of the columns, each once. */
export function columnsOf<T extends Fields>(fields: T): readonly T[keyof T]['column'][] {
  return [...new Set(Object.values(fields).map(({ column }) => column))];
}

/** The fields that have this flag. */
export function flagged<T extends Fields, Flag extends string>(
  fields: T,
  flag: Flag,
): { readonly [Name in keyof T as T[Name] extends Readonly<Record<Flag, true>> ? Name : never]: T[Name] } {
  const found = Object.entries(fields).filter(([, field]) => Reflect.get(field, flag) === true);
  return Object.fromEntries(found) as ReturnType<typeof flagged<T, Flag>>;
}

/** A value of each field. */
export function mapFields<T extends Fields, Value>(
  fields: T,
  read: (field: T[keyof T & string]) => Value,
): { readonly [Name in keyof T]: Value } {
  const all = Object.entries(fields) as [keyof T & string, T[keyof T & string]][];
  return Object.fromEntries(all.map(([name, field]) => [name, read(field)])) as {
    readonly [Name in keyof T]: Value;
  };
}

type Values = Readonly<Record<string, unknown>>;

function convert(value: unknown, by: ((value: never) => unknown) | undefined): unknown {
  return value === null || by === undefined ? value : (by as (value: unknown) => unknown)(value);
}

/**
 * Merges the sent fields into the present row, or into the defaults of a new one. A value that is sent back as it was
 * shown changes nothing. A missing required field gets its default; the caller reports the fault. Pure.
 */
export function resolve<T extends Fields>(fields: T, sent: SentOf<T>, row: RowOf<T> | undefined): RowOf<T> {
  const resolved: Record<string, unknown> = {};
  for (const [name, { column, byDefault, store, show }] of Object.entries(fields)) {
    const value = (sent as Values)[name];
    const present = row === undefined ? byDefault : (row as Values)[column];
    const stays = value === undefined || (row !== undefined && value === convert(present, show));
    resolved[column] = stays ? present : (convert(value, store) ?? byDefault);
  }
  return resolved as RowOf<T>;
}

/** Whether each field differs between two rows, as it is shown. Pure. */
export function differences<T extends Fields>(
  fields: T,
  before: RowOf<T>,
  after: RowOf<T>,
): { readonly [Name in keyof T]: boolean } {
  return mapFields(fields, ({ column, show }: Field) => {
    const shown = (row: RowOf<T>) => convert((row as Values)[column], show);
    return !isDeepStrictEqual(shown(before), shown(after));
  });
}

/**
 * Creates the function that shows rows as the API does, with the names in this order. Fields come from their columns,
 * everything else from `extra`.
 */
export function createShow<T extends Fields>(fields: T, order: readonly string[] = Object.keys(fields)) {
  const parts = order.map((name) => ({ name, column: fields[name]?.column, by: fields[name]?.show }));
  return <Extra extends object>(row: RowOf<T>, extra: Extra): ShownOf<T> & Extra => {
    const shown: Record<string, unknown> = {};
    for (const { name, column, by } of parts) {
      const value = column === undefined ? (extra as Values)[name] : (row as Values)[column];
      shown[name] = by === undefined ? value : convert(value, by);
    }
    return shown as ShownOf<T> & Extra;
  };
}

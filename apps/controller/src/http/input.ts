import { type FieldFault, faultsOf } from '@vantage/kernel';
import { z } from 'zod';
import { invalid } from './problem.ts';

const nothing = z.object({});

/** Reads the query by its schema; what the schema does not know is left alone. Throws a Problem (1004) that names every fault. */
export function readQuery<Schema extends z.ZodObject>(
  schema: Schema | undefined,
  query: URLSearchParams,
): z.output<Schema>;
export function readQuery(schema: z.ZodObject = nothing, query: URLSearchParams): unknown {
  const names = Object.keys(schema.shape);
  const given = names.flatMap((name) => {
    const values = query.getAll(name);
    return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values] as const];
  });
  return parse(schema, Object.fromEntries(given), '');
}

/** Reads a body by its schema, leaving out what the resource returns and nobody can set. Throws a Problem (1004). */
export function readFields<Schema extends z.ZodObject>(
  schema: Schema | undefined,
  body: Readonly<Record<string, unknown>>,
  readOnly: readonly string[],
): z.output<Schema>;
export function readFields(
  schema: z.ZodObject | undefined,
  body: Readonly<Record<string, unknown>>,
  readOnly: readonly string[],
): unknown {
  if (schema === undefined) return {};
  const settable = Object.entries(body).filter(
    ([name]) => Object.hasOwn(schema.shape, name) || !readOnly.includes(name),
  );
  return parse(schema, Object.fromEntries(settable), '');
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
    if (!result.success) faults.push(...faultsOf(result.error, name));
    else if (result.data !== undefined) values[name] = result.data;
  }
  for (const name of Object.keys(body))
    if (!Object.hasOwn(schema.shape, name) && !readOnly.includes(name))
      faults.push({ field: name.slice(0, 100), message: 'is not a known field' });
  return { values, faults };
}

function parse(schema: z.ZodType, value: unknown, prefix: string): unknown {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw invalid(faultsOf(result.error, prefix));
}

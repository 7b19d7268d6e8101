import { z } from 'zod';
import { type FieldFault, invalid } from './problem.ts';

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
    if (!result.success) faults.push(...result.error.issues.flatMap((issue) => faultsOfIssue(issue, name)));
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

/** Every fault that zod found, in our words; `prefix` (`Options`) is put before the fields' names. */
export function faultsOf(error: z.ZodError, prefix: string): FieldFault[] {
  return error.issues.flatMap((issue) => faultsOfIssue(issue, prefix));
}

function faultsOfIssue(issue: z.core.$ZodIssue, prefix: string): FieldFault[] {
  const field = [...(prefix === '' ? [] : [prefix]), ...issue.path.map(String)].join('.');
  const inside = (key: string) => (field === '' ? key : `${field}.${key}`);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ field: inside(key.slice(0, 100)), message: 'is not a known field' }));
    case 'invalid_type':
      return [
        {
          field,
          message: issue.input === undefined ? 'is required' : `must be ${article(issue.expected)}`,
        },
      ];
    case 'invalid_value':
      return [
        {
          field,
          message:
            issue.input === undefined
              ? 'is required'
              : `must be one of ${issue.values.map(String).join(', ')}`,
        },
      ];
    case 'too_small':
      return [
        { field, message: `must be ${sized(issue.origin, 'at least', issue.minimum, issue.inclusive)}` },
      ];
    case 'too_big':
      return [
        { field, message: `must be ${sized(issue.origin, 'at most', issue.maximum, issue.inclusive)}` },
      ];
    case 'invalid_union':
      return [
        {
          field,
          message: issue.message === 'Invalid input' ? 'has none of the accepted forms' : issue.message,
        },
      ];
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return [{ field, message: issue.message.replace(/^Invalid /, 'is an invalid ') }];
  }
}

function sized(
  origin: string,
  bound: string,
  limit: number | bigint,
  inclusive: boolean | undefined,
): string {
  const number = `${inclusive === false ? bound.replace('at least', 'more than').replace('at most', 'less than') : bound} ${limit}`;
  if (origin === 'string') return `${number} characters long`;
  return origin === 'array' || origin === 'record' || origin === 'object' ? `${number} entries long` : number;
}

function article(expected: string): string {
  const names: Readonly<Record<string, string>> = {
    int: 'an integer',
    array: 'a list',
    object: 'an object',
    record: 'an object',
    boolean: 'true or false',
    null: 'null',
  };
  return names[expected] ?? `a ${expected}`;
}

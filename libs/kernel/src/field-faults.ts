import type { z } from 'zod';

/** One fault in a value from outside; `field` is dotted (`Options.Headers.Cookie`). */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** Every fault that zod found, in words for the caller. `prefix` (`Options`) stands before the names of the fields. */
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

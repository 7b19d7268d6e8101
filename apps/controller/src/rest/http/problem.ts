import type { FieldFault } from '@vantage/kernel';

/** The API's error codes (decisions.md section 1). */
export const problemCode = {
  malformed: 1000,
  key: 1001,
  denied: 1002,
  missing: 1003,
  invalid: 1004,
  conflict: 1005,
  tooMany: 1006,
  httpsRequired: 1007,
  internal: 1500,
  unavailable: 1503,
} as const;

export type ProblemCode = (typeof problemCode)[keyof typeof problemCode];

const statusOf: Readonly<Record<ProblemCode, number>> = {
  1000: 400,
  1001: 400,
  1002: 400,
  1003: 400,
  1004: 400,
  1005: 400,
  1006: 429,
  1007: 400,
  1500: 500,
  1503: 503,
};

/** Ends a request with a failure. The answer shows it to the caller as it stands. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly errors: readonly FieldFault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the operations of a batch, up to the one that failed. */
  readonly results: readonly unknown[] | undefined;
  /** The names of the accounts between which somebody who signs in has to choose. */
  readonly accounts: readonly string[] | undefined;

  constructor(
    code: ProblemCode,
    message: string,
    more: {
      errors?: readonly FieldFault[];
      headers?: Readonly<Record<string, string>>;
      results?: readonly unknown[];
      accounts?: readonly string[];
    } = {},
  ) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.status = statusOf[code];
    this.errors = more.errors;
    this.headers = more.headers ?? {};
    this.results = more.results;
    this.accounts = more.accounts;
  }

  /** The body of the answer. */
  toJSON(): {
    code: number;
    message: string;
    errors?: readonly FieldFault[];
    Results?: readonly unknown[];
    Accounts?: readonly string[];
  } {
    return {
      code: this.code,
      message: this.message,
      ...(this.errors === undefined ? {} : { errors: this.errors }),
      ...(this.results === undefined ? {} : { Results: this.results }),
      ...(this.accounts === undefined ? {} : { Accounts: this.accounts }),
    };
  }
}

/** 1000: the request cannot be read. */
export function malformed(message: string): Problem {
  return new Problem(problemCode.malformed, message);
}

/** 1001: no key, an unknown one, or wrong Basic credentials; says no more, so that nothing can be learned by trying. */
export function badKey(
  message = 'Missing or unknown key, or wrong credentials. Send the key in the header Service-API-Key.',
): Problem {
  return new Problem(problemCode.key, message);
}

/** 1002: the key's level does not permit the request. */
export function denied(message = 'Access denied.'): Problem {
  return new Problem(problemCode.denied, message);
}

/** 1006: more than its sender may have under way. */
export function tooMuch(message: string): Problem {
  return new Problem(problemCode.tooMany, message, { headers: { 'Retry-After': '1' } });
}

/** 1007: the request came in clear. */
export function httpsRequired(): Problem {
  return new Problem(problemCode.httpsRequired, 'HTTPS is required.');
}

/** 1003: the same bytes for an unknown id and for a foreign one. */
export function missing(what: string): Problem {
  return new Problem(problemCode.missing, `No such ${what}.`);
}

/** An answer names this many faults; its message says how many more there are. */
const maxNamed = 100;

/** 1004: every fault is named, up to a hundred. */
export function invalid(errors: readonly FieldFault[]): Problem {
  const shown = errors.slice(0, 3).map(sentence);
  const rest = errors.length - shown.length;
  const more =
    rest > 0 ? [`There ${rest === 1 ? 'is 1 more fault' : `are ${rest} more faults`}; see errors.`] : [];
  return new Problem(problemCode.invalid, [...shown, ...more].join(' '), {
    errors: errors.slice(0, maxNamed),
  });
}

function sentence({ field, message }: FieldFault): string {
  const text = field === '' ? message : `${field} ${message}`;
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** 1005: what is asked for contradicts the present state. */
export function conflict(message: string, errors?: readonly FieldFault[]): Problem {
  return new Problem(problemCode.conflict, message, errors === undefined ? {} : { errors });
}

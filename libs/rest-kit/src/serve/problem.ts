import { type FieldFault, faultSentence, type RefusalReason } from '@vantage/kernel';

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

/** The default reason of each code. */
const usualReasons: Readonly<Record<ProblemCode, RefusalReason>> = {
  1000: 'malformed',
  1001: 'bad_key',
  1002: 'access_denied',
  1003: 'no_such_thing',
  1004: 'bad_value',
  1005: 'conflict',
  1006: 'too_many_requests',
  1007: 'https_required',
  1500: 'internal_error',
  1503: 'unavailable',
};

/** Ends a request with a failure. The answer shows it to the caller as it stands. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly reason: RefusalReason;
  readonly errors: readonly FieldFault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the operations of a batch, up to the one that failed. */
  readonly results: readonly unknown[] | undefined;
  /** The names of the accounts among which the person has to choose. */
  readonly accounts: readonly string[] | undefined;

  constructor(
    code: ProblemCode,
    message: string,
    more: {
      /** Default: that of the first of `errors`, else the usual one of the code. */
      reason?: RefusalReason | undefined;
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
    this.reason = more.reason ?? more.errors?.[0]?.reason ?? usualReasons[code];
    this.errors = more.errors;
    this.headers = more.headers ?? {};
    this.results = more.results;
    this.accounts = more.accounts;
  }

  /** The body of the answer. */
  toJSON(): {
    code: number;
    message: string;
    reason: RefusalReason;
    errors?: readonly Required<FieldFault>[];
    Results?: readonly unknown[];
    Accounts?: readonly string[];
  } {
    return {
      code: this.code,
      message: this.message,
      reason: this.reason,
      ...(this.errors === undefined ? {} : { errors: this.errors.map(withReason) }),
      ...(this.results === undefined ? {} : { Results: this.results }),
      ...(this.accounts === undefined ? {} : { Accounts: this.accounts }),
    };
  }
}

function withReason({ field, message, reason = 'bad_value' }: FieldFault): Required<FieldFault> {
  return { field, message, reason };
}

/** 1000: the request cannot be read. */
export function malformed(message: string, reason?: RefusalReason): Problem {
  return new Problem(problemCode.malformed, message, { reason });
}

/** 1000: the path has no route for this verb, but for those of `supported`. */
export function wrongVerb(method: string, supported: string): Problem {
  return new Problem(problemCode.malformed, `${method} is not supported here; supported: ${supported}.`, {
    reason: 'wrong_verb',
    headers: { Allow: supported },
  });
}

/** 1001: no key, an unknown one, or wrong Basic credentials; says no more, so that nothing can be learned by trying. */
export function badKey(
  message = 'Missing or unknown key, or wrong credentials. Send the key in the header Service-API-Key.',
): Problem {
  return new Problem(problemCode.key, message);
}

/** 1002: the key's level does not permit the request. */
export function denied(message = 'Access denied.', reason?: RefusalReason): Problem {
  return new Problem(problemCode.denied, message, { reason });
}

/** 1006: more than its sender may have under way. */
export function tooMuch(message: string): Problem {
  return new Problem(problemCode.tooMany, message, { headers: { 'Retry-After': '1' } });
}

/** 1500: a fault of ours; the log has it, and callers read nothing of it. */
export function internal(): Problem {
  return new Problem(problemCode.internal, 'Internal error.');
}

/** 1007: the request came in clear. */
export function httpsRequired(): Problem {
  return new Problem(problemCode.httpsRequired, 'HTTPS is required.');
}

/** The things that a path or a filter may name, and why a request fails where there is none. */
const missingReasons = {
  agent: 'no_such_agent',
  alert: 'no_such_alert',
  'audit entry': 'no_such_audit_entry',
  'change of devices': 'no_such_change',
  check: 'no_such_check',
  contact: 'no_such_contact',
  delivery: 'no_such_delivery',
  device: 'no_such_device',
  event: 'no_such_event',
  hook: 'no_such_hook',
  key: 'no_such_key',
  Location: 'no_such_location',
  maintenance: 'no_such_maintenance',
  'maintenance schedule': 'no_such_mschedule',
  mark: 'no_such_mark',
  'notification schedule': 'no_such_nschedule',
  outage: 'no_such_outage',
  'status page': 'no_such_page',
  'monthly report': 'no_such_report',
  secret: 'no_such_secret',
  session: 'no_such_session',
  tag: 'no_such_tag',
  'tag or device': 'no_such_tag_or_device',
  thing: 'no_such_thing',
  traceroute: 'no_such_traceroute',
  user: 'no_such_user',
} as const satisfies Readonly<Record<string, RefusalReason>>;

/** A kind of thing, as `No such <thing>.` names it. */
export type NamedThing = keyof typeof missingReasons;

/** 1003: the same bytes for an unknown id and for a foreign one. */
export function missing(what: NamedThing): Problem {
  return new Problem(problemCode.missing, `No such ${what}.`, { reason: missingReasons[what] });
}

/** Why a field that names a thing of this kind is refused where there is none. */
export function missingReason(what: NamedThing): RefusalReason {
  return missingReasons[what];
}

/** An answer names this many faults; its message says how many more there are. */
const maxNamed = 100;

/** 1004: every fault is named, up to a hundred. */
export function invalid(errors: readonly FieldFault[]): Problem {
  const shown = errors.slice(0, 3).map(faultSentence);
  const rest = errors.length - shown.length;
  const more =
    rest > 0 ? [`There ${rest === 1 ? 'is 1 more fault' : `are ${rest} more faults`}; see errors.`] : [];
  return new Problem(problemCode.invalid, [...shown, ...more].join(' '), {
    errors: errors.slice(0, maxNamed),
  });
}

/** 1005: the request contradicts the present state. */
export function conflict(reason: RefusalReason, message: string, errors?: readonly FieldFault[]): Problem {
  return new Problem(problemCode.conflict, message, errors === undefined ? { reason } : { reason, errors });
}

import type { Exception } from './exceptions.ts';
import type { Operation } from './operations.ts';
import type { PageRequest } from './page-requests.ts';

/** An operation, and what the page does with it. */
interface CoveredOperation {
  readonly operation: Operation;
  /** Empty: the page has no control for it. */
  readonly screens: readonly string[];
  readonly isSent: boolean;
  /** The fields that the page cannot set, with the reason. */
  readonly excepted: readonly { readonly field: string; readonly reason: string }[];
  /** The reason why the page has no control for it. */
  readonly reason: string | undefined;
}

interface Coverage {
  readonly rows: readonly CoveredOperation[];
  /** Operations, and fields of operations, that have neither a control nor a reason. */
  readonly missing: readonly string[];
  /** Exceptions for which nothing is missing. */
  readonly needless: readonly string[];
}

/** Compares the operations of the document with the requests of the page. */
export function coverageOf(
  operations: readonly Operation[],
  requests: readonly PageRequest[],
  exceptions: readonly Exception[],
): Coverage {
  const rules = exceptions.map((exception) => ({ ...exception, pattern: patternOf(exception.of) }));
  const used = new Set<string>();
  const missing: string[] = [];
  const reasonFor = (name: string): string | undefined => {
    const found = rules.filter(({ pattern }) => pattern.test(name));
    for (const { of } of found) used.add(of);
    if (found.length === 0) missing.push(name);
    return found[0]?.reason;
  };
  const rows = operations.map((operation): CoveredOperation => {
    const sent = requests.filter((request) => request.operation === operation.name);
    const screens = [...new Set(sent.flatMap((request) => request.screens))].sort();
    const isSent = screens.length > 0;
    if (!isSent) return { operation, screens, isSent, excepted: [], reason: reasonFor(operation.name) };
    const fields = new Set(sent.flatMap((request) => [...request.fields]));
    const excepted = operation.fields
      .filter((field) => !fields.has(field))
      .map((field) => ({ field, reason: reasonFor(`${operation.name} ${field}`) ?? '' }));
    return { operation, screens, isSent, excepted, reason: undefined };
  });
  return { rows, missing, needless: rules.map(({ of }) => of).filter((of) => !used.has(of)) };
}

/** A pattern for the names to which an exception applies: its operation or field, and the fields inside. */
function patternOf(of: string): RegExp {
  const text = of.replace(/[.{}/]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${text}(?:\\..*| .*)?$`);
}

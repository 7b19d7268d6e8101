import { sentFault } from '@vantage/kernel';
import { invalid } from './problem.ts';

/** The forms that `fmt` may ask for. */
export const formats = ['json', 'xml', 'csv'] as const;
export type Format = (typeof formats)[number];

/** The form of the answer that the query asks for. */
export interface Form {
  readonly format: Format;
  /** The file's name to offer it as, as it came. */
  readonly filename: string | undefined;
}

/** Reads `fmt` and `filename`; throws a Problem (1004) for a form that is not among `accepted`. */
export function readForm(query: URLSearchParams, accepted: readonly Format[]): Form {
  const asked = query.get('fmt');
  const format = asked === null ? 'json' : accepted.find((name) => name === asked);
  if (format === undefined)
    throw invalid([
      sentFault(
        'fmt',
        accepted.length === 1 ? `${accepted[0]} here` : `one of ${accepted.join(', ')}`,
        asked,
      ),
    ]);
  return { format, filename: query.get('filename') ?? undefined };
}

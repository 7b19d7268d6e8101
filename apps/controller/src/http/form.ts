import { invalid } from './problem.ts';

/** The forms that `fmt` may ask for. */
export const formats = ['json', 'xml', 'csv'] as const;
export type Format = (typeof formats)[number];

/** What the query says about the answer's form. */
export interface Form {
  readonly format: Format;
  /** The file's name to offer it as, as it came. */
  readonly filename: string | undefined;
}

/** Reads `fmt` and `filename`; throws a Problem (1004) for a form that is not known. */
export function readForm(query: URLSearchParams): Form {
  const asked = query.getAll('fmt');
  const format = asked.length === 0 ? 'json' : formats.find((name) => name === asked[0]);
  if (format === undefined || asked.length > 1)
    throw invalid([{ field: 'fmt', message: `must be one of ${formats.join(', ')}` }]);
  return { format, filename: query.get('filename') ?? undefined };
}

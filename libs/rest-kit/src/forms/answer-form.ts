import { sentFault } from '@vantage/kernel';
import { headerQualities } from '../serve/header-qualities.ts';
import { invalid } from '../serve/problem.ts';

/** The values of `fmt`. */
export const formats = ['json', 'xml', 'csv'] as const;

export type Format = (typeof formats)[number];

/** The requested form of the answer. */
export interface AnswerForm {
  readonly format: Format;
  /** The file's name to offer it as, as it came. */
  readonly filename: string | undefined;
}

/**
 * Reads `fmt` and `filename`; throws a Problem (1004) for a form that is not among `accepted`. Where `fmt` is absent,
 * the header Accept counts.
 */
export function readForm(query: URLSearchParams, accepted: readonly Format[], accept = ''): AnswerForm {
  const fmt = query.get('fmt');
  const format = fmt === null ? preferredFormat(accept, accepted) : accepted.find((name) => name === fmt);
  if (format === undefined)
    throw invalid([
      sentFault('fmt', accepted.length === 1 ? `${accepted[0]} here` : `one of ${accepted.join(', ')}`, fmt),
    ]);
  return { format, filename: query.get('filename') ?? undefined };
}

/** The media types of the forms (RFC 7303, RFC 4180). */
const mediaTypes: Readonly<Record<Format, readonly string[]>> = {
  json: ['application/json'],
  xml: ['application/xml', 'text/xml'],
  csv: ['text/csv'],
};

/**
 * The form that Accept prefers (RFC 9110, section 12.5.1). JSON where it prefers none of ours, and for browsers: they
 * name XML before anything else only because they can show it.
 */
function preferredFormat(accept: string, accepted: readonly Format[]): Format {
  if (accept === '' || accept === '*/*') return 'json';
  const qualities = headerQualities(accept);
  if (qualities.has('text/html')) return 'json';
  const qualityOf = (format: Format) =>
    Math.max(
      ...mediaTypes[format].map(
        (type) =>
          qualities.get(type) ?? qualities.get(`${type.split('/')[0]}/*`) ?? qualities.get('*/*') ?? 0,
      ),
    );
  const best = Math.max(...accepted.map(qualityOf));
  return best === 0 ? 'json' : (accepted.find((format) => qualityOf(format) === best) ?? 'json');
}

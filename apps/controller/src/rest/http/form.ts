import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { sentFault } from '@vantage/kernel';
import type { Context } from 'koa';
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

/**
 * Reads `fmt` and `filename`; throws a Problem (1004) for a form that is not among `accepted`. Where `fmt` is absent,
 * the header Accept counts.
 */
export function readForm(query: URLSearchParams, accepted: readonly Format[], accept = ''): Form {
  const asked = query.get('fmt');
  const format = asked === null ? preferredFormat(accept, accepted) : accepted.find((name) => name === asked);
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

/** A form in which an answer is compressed (RFC 9110, section 8.4.1). */
export type Encoding = 'br' | 'gzip';

/** Shorter answers are sent as they are, bytes. */
export const leastCompressedBytes = 1024;

const brotli = promisify(brotliCompress);
const gzipText = promisify(gzip);

/** Compresses a text. */
export function encode(encoding: Encoding, text: string | Buffer): Promise<Buffer> {
  // A middle quality: the default (11) costs a hundred times more for a tenth less.
  return encoding === 'br'
    ? brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    : gzipText(text);
}

/** The encoding that the caller prefers (RFC 9110, section 12.5.3); undefined: none of ours. */
export function preferredEncoding(context: Context): Encoding | undefined {
  const qualities = headerQualities(context.get('Accept-Encoding'));
  const qualityOf = (encoding: string, absent: number) =>
    qualities.get(encoding) ?? qualities.get(`x-${encoding}`) ?? qualities.get('*') ?? absent;
  const best = Math.max(qualityOf('br', 0), qualityOf('gzip', 0));
  if (best === 0 || best < (qualities.get('identity') ?? 0)) return undefined;
  return qualityOf('br', 0) === best ? 'br' : 'gzip';
}

/**
 * The names in a header such as Accept or Accept-Encoding, in lower case, each with its quality, 0 to 1 (RFC 9110,
 * section 12.4.2). Other parameters are left out, and a quality that is none counts as 0.
 */
function headerQualities(header: string): ReadonlyMap<string, number> {
  const entries = header.split(',').map((each): [string, number] => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((part) => part.startsWith('q='))?.slice(2);
    const value = quality === undefined ? 1 : Number(quality);
    return [name, value >= 0 && value <= 1 ? value : 0];
  });
  return new Map(entries.filter(([name]) => name !== ''));
}

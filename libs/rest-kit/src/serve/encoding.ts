import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';
import { headerQualities } from './header-qualities.ts';

/** A form in which an answer is compressed (RFC 9110, section 8.4.1). */
export type Encoding = 'br' | 'gzip';

/** Shorter answers are sent as they are, bytes. */
export const minCompressedBytes = 1024;

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

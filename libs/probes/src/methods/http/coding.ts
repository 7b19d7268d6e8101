import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib';

/** The codings that `Accept-Encoding` offers. */
export const offeredCodings = 'gzip, deflate, br, zstd';

/** A server that wraps its body more often than this means no good. */
const maxCodings = 3;
/** RFC 9659 section 3: no zstd body needs a window over 8 MiB, so nobody can make us hold more. */
const zstdWindowLog = 23;

/** The decoders of a body, in the order in which it goes through them. */
export type Decoding =
  | { readonly kind: 'decoders'; readonly list: readonly Transform[] }
  /** A coding that is not known here: the body stays as it came. */
  | { readonly kind: 'unknown'; readonly coding: string };

/** Reads a `Content-Encoding` (RFC 9110 section 8.4: in the order in which the codings were applied). */
export function decodingOf(encoding: string | undefined): Decoding {
  const codings = (encoding ?? '')
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '' && each !== 'identity');
  const unknown = codings.find((each) => !Object.hasOwn(decoders, each));
  if (unknown !== undefined) return { kind: 'unknown', coding: unknown };
  if (codings.length > maxCodings) return { kind: 'unknown', coding: codings.join(', ') };
  const list = codings.reverse().flatMap((each) => decoders[each]?.() ?? []);
  return { kind: 'decoders', list };
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createUnzip(),
  'x-gzip': () => createUnzip(),
  deflate: () => createUnzip(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } }),
};

import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib';

/** The codings that `Accept-Encoding` offers. */
export const offeredCodings = 'gzip, deflate, br, zstd';

const maxCodings = 3;
/** RFC 9659 section 3: no zstd body needs a window over 8 MiB. This bounds the memory of a decoder. */
const zstdWindowLog = 23;

type Decoding =
  /** In the order of use. */
  | { readonly kind: 'decoders'; readonly list: readonly Transform[] }
  /** The body stays encoded. */
  | { readonly kind: 'unknown'; readonly coding: string };

/** Reads a `Content-Encoding`, which lists the codings in the order of encoding (RFC 9110 section 8.4). */
export function decodingOf(encoding: string | undefined): Decoding {
  const codings = (encoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const unknown = codings.find((coding) => !Object.hasOwn(decoders, coding));
  if (unknown !== undefined) return { kind: 'unknown', coding: unknown };
  if (codings.length > maxCodings) return { kind: 'unknown', coding: codings.join(', ') };
  const list = codings.reverse().flatMap((coding) => decoders[coding]?.() ?? []);
  return { kind: 'decoders', list };
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createUnzip(),
  'x-gzip': () => createUnzip(),
  deflate: () => createUnzip(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } }),
};

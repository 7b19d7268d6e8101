import { hash } from 'node:crypto';
import { type Encoding, encode, minCompressedBytes } from './encoding.ts';

/** The bytes of a document in one encoding. */
interface Representation {
  readonly bytes: Buffer;
  /** A strong ETag: another one for each encoding (RFC 9110, section 8.8.3.3). */
  readonly etag: string;
  /** Its value for Content-Encoding; undefined: the bytes are the text itself. */
  readonly encoding: Encoding | undefined;
}

/** A text that is the same for everybody. Its bytes are made once for each encoding, when they are first asked for. */
export interface ServedDocument {
  as(encoding: Encoding | undefined): Promise<Representation>;
}

/** Creates a document from the text that `read` returns. A read that fails is repeated at the next request. */
export function createDocument(read: () => Promise<string>): ServedDocument {
  const made = new Map<Encoding | undefined, Promise<Representation>>();
  const make = async (encoding: Encoding | undefined): Promise<Representation> => {
    const text = await read();
    const isShort = Buffer.byteLength(text) <= minCompressedBytes;
    if (encoding === undefined || isShort) {
      const bytes = Buffer.from(text);
      return { bytes, etag: `"${digest(bytes)}"`, encoding: undefined };
    }
    const bytes = await encode(encoding, text);
    return { bytes, etag: `"${digest(bytes)}-${encoding}"`, encoding };
  };
  return {
    as(encoding) {
      const known = made.get(encoding);
      if (known !== undefined) return known;
      const making = make(encoding).catch((error: unknown) => {
        made.delete(encoding);
        throw error;
      });
      made.set(encoding, making);
      return making;
    },
  };
}

function digest(bytes: Buffer): string {
  return hash('sha256', bytes).slice(0, 32);
}

import { Readable } from 'node:stream';
import type { Context, Next } from 'koa';
import { encode, leastCompressedBytes, preferredEncoding } from './form.ts';

/**
 * Compresses answers over 1 kB in a form that the caller accepts. Streams and documents stay as they are. Long answers
 * go out in slices.
 */
export async function compressAnswer(context: Context, next: Next): Promise<void> {
  await next();
  const { body, state } = context;
  if (Buffer.isBuffer(body) && state['isOwn'] !== true) return send(context, body, { isShared: true }); // a document
  if ((typeof body !== 'string' && !Buffer.isBuffer(body)) || context.length <= leastCompressedBytes) return;
  context.vary('Accept-Encoding');
  const encoding = preferredEncoding(context);
  // Bytes instead of a text, also where nothing is compressed: what waits to go out is counted in bytes.
  const bytes = encoding === undefined ? bytesOf(body) : await encode(encoding, body);
  if (encoding !== undefined) {
    context.set('Content-Encoding', encoding);
    weaken(context);
  }
  send(context, bytes, { isShared: false });
}

function bytesOf(body: string | Buffer): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body;
}

/** RFC 9110, section 8.8.1: a strong ETag stands for the same bytes, and these are others. */
function weaken(context: Context): void {
  const tag = context.res.getHeader('ETag');
  if (typeof tag === 'string' && tag.startsWith('"')) context.set('ETag', `W/${tag}`);
}

function send(context: Context, bytes: Buffer, { isShared }: { readonly isShared: boolean }): void {
  const type = context.response.get('Content-Type');
  context.body = bytes.length > sliceBytes ? new SlicedBody(bytes, isShared) : bytes;
  context.set({ 'Content-Type': type, 'Content-Length': String(bytes.length) });
}

/** Longer answers are sent in slices of this length: the client takes one before TLS encrypts the next, bytes. */
export const sliceBytes = 65_536;

/** The bytes of a long answer on their way to a client. The port of the API reads its properties. */
export class SlicedBody extends Readable {
  readonly #bytes: Buffer;
  #sent = 0;
  /** The bytes belong to a document that all clients get, so they take no memory of their own. */
  readonly isShared: boolean;

  constructor(bytes: Buffer, isShared: boolean) {
    super({ highWaterMark: sliceBytes });
    this.#bytes = bytes;
    this.isShared = isShared;
  }

  /** Bytes that the client has not been sent yet. */
  get remainingBytes(): number {
    return this.#bytes.length - this.#sent + this.readableLength;
  }

  override _read(): void {
    const slice = this.#bytes.subarray(this.#sent, this.#sent + sliceBytes);
    this.#sent += slice.length;
    this.push(slice.length === 0 ? null : slice);
  }
}

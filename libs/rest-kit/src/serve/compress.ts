import type { Context, Next } from 'koa';
import { encode, minCompressedBytes, preferredEncoding } from './encoding.ts';
import { SlicedBody, sliceBytes } from './sliced-body.ts';

/**
 * Compresses answers over 1 kB in a form that the caller accepts. Streams and documents stay as they are. Long answers
 * go out in slices.
 */
export async function compressAnswer(context: Context, next: Next): Promise<void> {
  await next();
  const { body, state } = context;
  if (Buffer.isBuffer(body) && state['isOwn'] !== true) return send(context, body, { isShared: true }); // a document
  if ((typeof body !== 'string' && !Buffer.isBuffer(body)) || context.length <= minCompressedBytes) return;
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

/** RFC 9110, section 8.8.1: a strong ETag promises the same bytes; compressed bytes differ. */
function weaken(context: Context): void {
  const tag = context.res.getHeader('ETag');
  if (typeof tag === 'string' && tag.startsWith('"')) context.set('ETag', `W/${tag}`);
}

function send(context: Context, bytes: Buffer, { isShared }: { readonly isShared: boolean }): void {
  const type = context.response.get('Content-Type');
  context.body = bytes.length > sliceBytes ? new SlicedBody(bytes, isShared) : bytes;
  context.set({ 'Content-Type': type, 'Content-Length': String(bytes.length) });
}

import type { Context, Next } from 'koa';
import { encode, leastCompressedBytes, preferredEncoding } from './encoding.ts';

/** Compresses answers over 1 kB in a form that the caller accepts. Streams and documents stay as they are. */
export async function compressAnswer(context: Context, next: Next): Promise<void> {
  await next();
  const { body } = context;
  if (typeof body !== 'string' || context.length <= leastCompressedBytes) return;
  context.vary('Accept-Encoding');
  const encoding = preferredEncoding(context);
  const type = context.response.get('Content-Type');
  // Bytes instead of a text, also where nothing is compressed: what waits to go out is counted in bytes.
  context.body = encoding === undefined ? Buffer.from(body) : await encode(encoding, body);
  context.set('Content-Type', type);
  if (encoding !== undefined) context.set('Content-Encoding', encoding);
}

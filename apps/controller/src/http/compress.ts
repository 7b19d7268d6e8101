import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context, Next } from 'koa';

/** Shorter answers are sent as they are, bytes. */
const leastBytes = 1024;

const encoders = {
  // A middle quality: the default (11) costs a hundred times more for a tenth less.
  br: (text: string) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => gzipText(text),
} as const;
const brotli = promisify(brotliCompress);
const gzipText = promisify(gzip);

/** Compresses answers over 1 kB in a form that the caller accepts (RFC 9110, section 12.5.3). Streams stay as they are. */
export async function compressAnswer(context: Context, next: Next): Promise<void> {
  await next();
  const { body } = context;
  if (typeof body !== 'string' || context.length <= leastBytes) return;
  context.vary('Accept-Encoding');
  if (context.get('Accept-Encoding') === '') return;
  const encoding = (['br', 'gzip'] as const).find((each) => context.acceptsEncodings(each) === each);
  if (encoding === undefined) return;
  const type = context.response.get('Content-Type');
  context.body = await encoders[encoding](body);
  context.set({ 'Content-Type': type, 'Content-Encoding': encoding });
}

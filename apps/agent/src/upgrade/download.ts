import type { ClientHttp2Stream } from 'node:http2';
import { messageOf, parseJson } from '@vantage/kernel';
import { z } from 'zod';
import type { Connection } from '../stream/connection.ts';
import { dial, type Way } from '../stream/connection.ts';

/** The outcome of a download. */
export type Downloaded =
  | { readonly kind: 'done' }
  /** Worth another try: the controller is busy, or the connection broke. */
  | { readonly kind: 'later'; readonly text: string }
  | { readonly kind: 'refused'; readonly text: string };

const problem = z.object({ message: z.string().max(1000) });
/** A refusal is shorter, bytes. */
const maxRefusal = 16 * 1024;
/** The controller cuts a download that takes longer, milliseconds. */
const withinMs = 10 * 60_000;

/**
 * Downloads `path` from a controller's agent port and hands the bytes on, `maxBytes` at most. Rejects only with an
 * error of `onBytes` (a full disk).
 */
export async function download(
  way: Way,
  wanted: {
    readonly path: string;
    readonly maxBytes: number;
    readonly onBytes: (chunk: Buffer) => Promise<void> | void;
  },
  signal: AbortSignal,
): Promise<Downloaded> {
  const ending = new AbortController();
  const stop = () => ending.abort(new Error('the agent ends'));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  using _deadline = way.clock.timer(withinMs, () => ending.abort(new Error('the download took too long')));
  let connection: Connection | undefined;
  ending.signal.addEventListener('abort', () => connection?.[Symbol.dispose](), { once: true });
  const broken = (error: unknown): Downloaded => {
    const why = ending.signal.aborted ? ending.signal.reason : error;
    return { kind: 'later', text: connection?.fault ?? messageOf(why) };
  };
  try {
    let opened: Awaited<ReturnType<typeof open>>;
    try {
      connection = await dial(way, ending.signal);
      opened = await open(connection, wanted.path);
    } catch (error) {
      return broken(error);
    }
    return opened.status === 200
      ? await receive(opened.stream, wanted, broken)
      : await refusalOf(opened).catch(broken);
  } finally {
    signal.removeEventListener('abort', stop);
    connection?.[Symbol.dispose]();
  }
}

async function open(connection: Connection, path: string) {
  const stream = await connection.request('GET', path, {});
  const status = await new Promise<number>((resolve, reject) => {
    stream.once('response', (headers) => resolve(headers[':status'] ?? 0));
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('the connection closed')));
    stream.end();
  });
  return { stream, status };
}

async function receive(
  stream: ClientHttp2Stream,
  { maxBytes, onBytes }: Parameters<typeof download>[1],
  broken: (error: unknown) => Downloaded,
): Promise<Downloaded> {
  const chunks = stream[Symbol.asyncIterator]();
  for (let size = 0; ; ) {
    const next = await chunks.next().catch(broken);
    if ('kind' in next) return next;
    if (next.done === true) return { kind: 'done' };
    const chunk: unknown = next.value;
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > maxBytes) {
      stream.destroy();
      return { kind: 'refused', text: `the controller sent more than ${maxBytes} bytes` };
    }
    await onBytes(chunk);
  }
}

async function refusalOf({
  stream,
  status,
}: {
  readonly stream: ClientHttp2Stream;
  readonly status: number;
}): Promise<Downloaded> {
  let text = '';
  for await (const chunk of stream) if (text.length < maxRefusal) text += String(chunk);
  const said = problem.safeParse(parseJson(text)).data?.message ?? `the controller answered ${status}`;
  const isPassing = status === 429 || status >= 500;
  return { kind: isPassing ? 'later' : 'refused', text: said };
}

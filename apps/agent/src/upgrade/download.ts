import type { ClientHttp2Stream } from 'node:http2';
import { messageOf, parseJson } from '@vantage/kernel';
import { z } from 'zod';
import type { ControllerConnection } from '../stream/controller-connection.ts';
import { type DialOptions, dialController } from '../stream/controller-connection.ts';

export type DownloadOutcome =
  | { readonly kind: 'done' }
  /** Worth another attempt: the controller is busy, or the connection broke. */
  | { readonly kind: 'later'; readonly text: string }
  | { readonly kind: 'refused'; readonly text: string };

const problem = z.object({ message: z.string().max(1000) });
/** A longer refusal is cut, bytes. */
const maxRefusal = 16 * 1024;
/** The controller cuts a longer download, milliseconds. */
const maxDownloadMs = 10 * 60_000;

/**
 * Downloads `path` from a controller's agent port and passes the bytes on, at most `maxBytes`. Rejects only with an
 * error of `onBytes` (a full disk).
 */
export async function download(
  address: DialOptions,
  request: {
    readonly path: string;
    readonly maxBytes: number;
    readonly onBytes: (chunk: Buffer) => Promise<void> | void;
  },
  signal: AbortSignal,
): Promise<DownloadOutcome> {
  const ending = new AbortController();
  const stop = () => ending.abort(new Error('the agent ends'));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  using _deadline = address.clock.timer(maxDownloadMs, () =>
    ending.abort(new Error('the download took too long')),
  );
  let connection: ControllerConnection | undefined;
  ending.signal.addEventListener('abort', () => connection?.[Symbol.dispose](), { once: true });
  const broken = (error: unknown): DownloadOutcome => {
    const why = ending.signal.aborted ? ending.signal.reason : error;
    return { kind: 'later', text: connection?.fault ?? messageOf(why) };
  };
  try {
    let opened: Awaited<ReturnType<typeof open>>;
    try {
      connection = await dialController(address, ending.signal);
      opened = await open(connection, request.path);
    } catch (error) {
      return broken(error);
    }
    return opened.status === 200
      ? await receive(opened.stream, request, broken)
      : await refusalOf(opened).catch(broken);
  } finally {
    signal.removeEventListener('abort', stop);
    connection?.[Symbol.dispose]();
  }
}

async function open(connection: ControllerConnection, path: string) {
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
  broken: (error: unknown) => DownloadOutcome,
): Promise<DownloadOutcome> {
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
}): Promise<DownloadOutcome> {
  let text = '';
  for await (const chunk of stream) if (text.length < maxRefusal) text += String(chunk);
  const reason = problem.safeParse(parseJson(text)).data?.message ?? `the controller answered ${status}`;
  const isPassing = status === 429 || status >= 500;
  return { kind: isPassing ? 'later' : 'refused', text: reason };
}

import { text } from 'node:stream/consumers';
import { messageOf, parseJson } from '@vantage/kernel';
import { z } from 'zod';
import {
  type ControllerConnection,
  type DialOptions,
  dialController,
  standardPings,
} from '../stream/controller-connection.ts';
import type { Grant } from './identity-folder.ts';

export type EnrolReply =
  | { readonly kind: 'granted'; readonly grant: Grant }
  /** The controller does not know this token or key, or the token is used or expired. */
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'revoked'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

const granted = z.object({ agent_id: z.string(), Certificate: z.string(), CA: z.string() });
const problem = z.object({ message: z.string() });
const withinMs = 20_000;
const maxAnswer = 64 * 1024;

/** Sends `POST /enrol` to a controller. Never rejects. */
export async function requestCertificate(
  address: Pick<DialOptions, 'endpoint' | 'proxy' | 'ca' | 'clock'>,
  body: { readonly Token?: string; readonly CSR: string },
  signal: AbortSignal,
): Promise<EnrolReply> {
  let connection: ControllerConnection | undefined;
  const ending = new AbortController();
  const stop = () => ending.abort(new Error('the agent ends'));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  using _deadline = address.clock.timer(withinMs, () =>
    ending.abort(new Error(`no certificate within ${withinMs / 1000} s`)),
  );
  ending.signal.addEventListener('abort', () => connection?.[Symbol.dispose](), { once: true });
  try {
    connection = await dialController({ ...address, proof: undefined, pings: standardPings }, ending.signal);
    const stream = await connection.request('POST', '/enrol', { 'content-type': 'application/json' });
    const status = new Promise<number>((resolve, reject) => {
      stream.once('response', (headers) => resolve(headers[':status'] ?? 0));
      stream.once('error', reject);
      stream.once('close', () => reject(new Error('the connection closed')));
    });
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxAnswer) stream.destroy(new Error('the answer is too long'));
    });
    stream.end(JSON.stringify(body));
    const [found, number] = await Promise.all([text(stream), status]);
    return replyOf(number, found);
  } catch (error) {
    const why = ending.signal.aborted ? ending.signal.reason : error;
    return { kind: 'failed', text: connection?.fault ?? messageOf(why) };
  } finally {
    signal.removeEventListener('abort', stop);
    connection?.[Symbol.dispose]();
  }
}

function replyOf(status: number, found: string): EnrolReply {
  const reason = problem.safeParse(parseJson(found)).data?.message ?? `status ${status}`;
  switch (status) {
    case 200: {
      const answer = granted.safeParse(parseJson(found)).data;
      if (answer === undefined)
        return { kind: 'failed', text: 'the controller answered with no certificate' };
      const { agent_id: agentId, Certificate: certificate, CA: ca } = answer;
      return { kind: 'granted', grant: { agentId, certificate, ca } };
    }
    case 400:
    case 401:
      return { kind: 'refused', text: reason };
    case 403:
      return { kind: 'revoked', text: reason };
    default:
      return { kind: 'failed', text: reason };
  }
}

import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { messageOf, parseJson } from '@vantage/kernel';
import { z } from 'zod';
import { type Connection, dial, standardPings, type Way } from '../stream/connection.ts';
import type { Grant } from './identity-folder.ts';

/** The controller's answer to a request for a certificate. */
export type EnrolReply =
  | { readonly kind: 'granted'; readonly grant: Grant }
  /** It does not know this token or key, or the token is used or over. */
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'revoked'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

const granted = z.object({ agent_id: z.string(), Certificate: z.string(), CA: z.string() });
const problem = z.object({ message: z.string() });
const withinMs = 20_000;
const maxAnswer = 64 * 1024;

/** Sends `POST /enrol` to a controller. Never rejects. */
export async function askForCertificate(
  to: Pick<Way, 'endpoint' | 'proxy' | 'ca' | 'clock'>,
  body: { readonly Token?: string; readonly CSR: string },
  signal: AbortSignal,
): Promise<EnrolReply> {
  let connection: Connection | undefined;
  const ending = new AbortController();
  const stop = () => ending.abort(new Error('the agent ends'));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  using _deadline = to.clock.timer(withinMs, () =>
    ending.abort(new Error(`no certificate within ${withinMs / 1000} s`)),
  );
  ending.signal.addEventListener('abort', () => connection?.[Symbol.dispose](), { once: true });
  try {
    connection = await dial({ ...to, proof: undefined, pings: standardPings }, ending.signal);
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
  const said = problem.safeParse(parseJson(found)).data?.message ?? `status ${status}`;
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
      return { kind: 'refused', text: said };
    case 403:
      return { kind: 'revoked', text: said };
    default:
      return { kind: 'failed', text: said };
  }
}

/** The tags of DER (X.690) that a request needs. */
const tags = {
  integer: 0x02,
  bitString: 0x03,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  attributes: 0xa0,
} as const;

/** commonName, 2.5.4.3. */
const commonName = Buffer.from('0603550403', 'hex');
/** ecdsa-with-SHA256, 1.2.840.10045.4.3.2 (RFC 5758, section 3.2). */
const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex');

/**
 * A certificate signing request (PKCS#10, RFC 2986, section 4) for a key of P-256; both are PEM. The name in it says
 * nothing: the controller gives the name. It is written here, because the library that the controller reads it with
 * takes 6 MiB of memory, which an agent would keep.
 */
export function makeSigningRequest(key: string): string {
  const privateKey = createPrivateKey(key);
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const attribute = der('sequence', commonName, der('utf8', Buffer.from('vantage-agent')));
  const name = der('sequence', der('set', attribute));
  const info = der('sequence', der('integer', Buffer.of(0)), name, spki, der('attributes'));
  const signature = der('bitString', Buffer.of(0), sign('sha256', info, privateKey));
  const request = der('sequence', info, der('sequence', ecdsaWithSha256), signature);
  const lines = request.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`;
}

/**
 * A value of DER: tag, length, content (X.690, section 8.1). Its content has less than 256 bytes, as all of a request
 * for a key of P-256 has.
 */
function der(tag: keyof typeof tags, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const bytes = length < 0x80 ? [length] : [0x81, length];
  return Buffer.concat([Buffer.of(tags[tag], ...bytes), value]);
}

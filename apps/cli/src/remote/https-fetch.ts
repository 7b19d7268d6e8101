import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request as send } from 'node:https';
import { Readable } from 'node:stream';
import { mebibyte } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';

const maxSilenceMs = 60_000;
const maxAnswerBytes = 32 * mebibyte;

/** A controller and a key for it. */
export interface ControllerAccess {
  /** `https://host:port/v1.1`. */
  readonly server: string;
  readonly key: string;
  /** File of the CA. Default: the CAs that Node trusts. */
  readonly ca?: string | undefined;
}

/** The controller cannot be reached, or its answer is not one of the API. */
export class Unreachable extends Fault {
  constructor(url: string, reason: string) {
    super('stop', 'unreachable', `${new URL(url).origin} cannot be reached: ${reason}`);
  }
}

/**
 * A `fetch` that trusts the controller's own CA and sends the key. Fails with `Unreachable` after 60 s of silence, and
 * for an answer of more than 32 MiB, unless it is a stream of events.
 */
export function createHttpsFetch(access: ControllerAccess): {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly close: () => void;
} {
  const ca = access.ca === undefined ? undefined : readCa(access.ca);
  const agent = new Agent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) });
  return {
    async fetch(request) {
      const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
      const headers: Record<string, string | number> = Object.fromEntries(request.headers);
      headers['Service-API-Key'] = access.key;
      if (body !== undefined) headers['Content-Length'] = body.length;
      const options = { method: request.method, headers, agent, signal: request.signal };
      return sendRequest(request.url, options, { body, ca: access.ca });
    },
    close: () => agent.destroy(),
  };
}

function sendRequest(
  url: string,
  options: Parameters<typeof send>[1],
  { body, ca }: { readonly body: Buffer | undefined; readonly ca: string | undefined },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { hostname: host } = new URL(url);
    const fail = (error: Error) => reject(new Unreachable(url, unreachableReason(error, { host, ca })));
    const outgoing = send(url, { ...options, timeout: maxSilenceMs }, (answer) => {
      if (answer.headers['content-type']?.startsWith('text/event-stream') === true) {
        resolve(responseOf(answer, Readable.toWeb(answer) as ReadableStream<Uint8Array>));
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      answer.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > maxAnswerBytes) outgoing.destroy(new Error('the answer is longer than 32 MiB'));
        else chunks.push(chunk);
      });
      answer.on('error', fail);
      answer.on('end', () => resolve(responseOf(answer, new Uint8Array(Buffer.concat(chunks)))));
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`no answer within ${maxSilenceMs / 1000} seconds`)),
    );
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

function responseOf(
  { statusCode = 0, headers }: IncomingMessage,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((text): [string, string] => [name, text]),
  );
  const isEmpty = statusCode === 204 || statusCode === 304;
  return new Response(isEmpty ? null : body, { status: statusCode, headers: pairs });
}

function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Fault('stop', 'unreadable', `${file} cannot be read: ${messageOf(error)}`);
  }
}

/** Node's codes for a certificate of an untrusted CA. */
const untrustedCodes: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/**
 * The reason why a controller could not be reached, with a remedy where its certificate is the reason. `ca` is the file
 * of `--ca`. Pure.
 */
function unreachableReason(
  error: unknown,
  { host, ca }: { readonly host: string; readonly ca: string | undefined },
): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (untrustedCodes.includes(code))
    return ca === undefined
      ? "this machine does not trust the CA of its certificate; give the controller's CA with --ca FILE (data/tls/ca.pem of the controller)"
      : `its certificate is not from the CA in ${ca}; use data/tls/ca.pem of this controller`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate does not have the name ${host}; use one that it has, or start the controller with VANTAGE_TLS_NAMES=${host}`;
  return messageOf(error);
}

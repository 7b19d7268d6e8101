import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request as send } from 'node:https';
import { Readable } from 'node:stream';
import { mebibyte } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';

const patienceMs = 60_000;
const longestAnswer = 32 * mebibyte;

/** A controller, and a key that it knows. */
export interface ControllerAccess {
  /** `https://host:port/v1.1`. */
  readonly server: string;
  readonly key: string;
  /** File of the CA; default: the authorities of the system. */
  readonly ca?: string | undefined;
}

/** The controller cannot be reached, or its answer is no answer of the API. */
export class Unreachable extends Fault {
  constructor(url: string, why: string) {
    super('stop', 'unreachable', `${new URL(url).origin} cannot be asked: ${why}`);
  }
}

/**
 * A `fetch` for one controller that trusts its own CA, which Node's does not. Sends the key with each request. An
 * answer of more than 32 MiB (a stream of events has no limit), or silence of 60 s, is an `Unreachable`.
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
      return ask(request.url, options, { body, ca: access.ca });
    },
    close: () => agent.destroy(),
  };
}

function ask(
  url: string,
  options: Parameters<typeof send>[1],
  { body, ca }: { readonly body: Buffer | undefined; readonly ca: string | undefined },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { hostname: host } = new URL(url);
    const refuse = (error: Error) => reject(new Unreachable(url, unreachableReason(error, { host, ca })));
    const asked = send(url, { ...options, timeout: patienceMs }, (answer) => {
      if (answer.headers['content-type']?.startsWith('text/event-stream') === true) {
        resolve(responseOf(answer, Readable.toWeb(answer) as ReadableStream<Uint8Array>));
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      answer.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > longestAnswer) asked.destroy(new Error('the answer is longer than 32 MiB'));
        else chunks.push(chunk);
      });
      answer.on('error', refuse);
      answer.on('end', () => resolve(responseOf(answer, new Uint8Array(Buffer.concat(chunks)))));
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${patienceMs / 1000} seconds`)));
    asked.on('error', refuse);
    asked.end(body);
  });
}

function responseOf(
  { statusCode = 0, headers }: IncomingMessage,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((each): [string, string] => [name, each]),
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

/** Node's codes for a certificate whose authority is not trusted. */
const untrusted: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/**
 * Why a controller could not be asked, and what to do where its certificate is the reason. `ca` is the file that was
 * given. Pure.
 */
function unreachableReason(
  error: unknown,
  { host, ca }: { readonly host: string; readonly ca: string | undefined },
): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (untrusted.includes(code))
    return ca === undefined
      ? "its certificate is of an authority that this machine does not trust; give the controller's with --ca FILE (data/tls/ca.pem of the controller)"
      : `its certificate is not of the authority in ${ca}; take data/tls/ca.pem of this controller`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate does not have the name ${host}; use one that it has, or start the controller with VANTAGE_TLS_NAMES=${host}`;
  return messageOf(error);
}

import { get } from 'node:https';
import { connect, TLSSocket } from 'node:tls';
import { messageOf } from '@vantage/kernel';

/** An answer over HTTPS, or the reason why there is none. */
export type ControllerAnswer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly text: string;
      readonly ms: number;
      /** The certificate of the server (PEM); undefined: the connection ended first. */
      readonly certificate?: string | undefined;
    }
  | { readonly kind: 'none'; readonly reason: string };

const timeoutMs = 5_000;
const maxBytes = 1024 * 1024;

/**
 * Sends a request to this machine's controller. `ca` (PEM) must have signed the controller's certificate. `anyName`
 * accepts every name in it. Never rejects.
 */
export function queryController(
  url: string,
  {
    ca,
    key,
    anyName = false,
  }: { readonly ca: string; readonly key?: string | undefined; readonly anyName?: boolean },
): Promise<ControllerAnswer> {
  const fromMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<ControllerAnswer>();
  const headers = key === undefined ? {} : { 'Service-API-Key': key };
  const request = get(
    url,
    {
      ca,
      headers,
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
      ...(anyName && { checkServerIdentity: () => undefined }),
    },
    (answer) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const certificate =
        answer.socket instanceof TLSSocket ? answer.socket.getPeerX509Certificate()?.toString() : undefined;
      answer.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > maxBytes) request.destroy(new Error('the answer is too long'));
        else parts.push(part);
      });
      answer.on('error', (error) => resolve({ kind: 'none', reason: messageOf(error) }));
      answer.on('end', () =>
        resolve({
          kind: 'answer',
          status: answer.statusCode ?? 0,
          text: Buffer.concat(parts).toString('utf8'),
          ms: performance.now() - fromMs,
          certificate,
        }),
      );
    },
  );
  request.on('error', (error) => resolve({ kind: 'none', reason: reasonOf(error) }));
  return promise;
}

/** Opens TLS to a port. Resolves with the reason why that failed; undefined on success. */
export function tryTls(url: string, ca: string): Promise<string | undefined> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = connect({ host, port: Number(port || 443), ca, servername: host, timeout: timeoutMs });
  const end = (reason: string | undefined) => {
    socket.destroy();
    resolve(reason);
  };
  socket.once('secureConnect', () => end(undefined));
  socket.once('timeout', () => end(`no answer within ${timeoutMs / 1000} s`));
  socket.once('error', (error) => end(reasonOf(error)));
  return promise;
}

function reasonOf(error: Error): string {
  return error.name === 'TimeoutError' || error.name === 'AbortError'
    ? `no answer within ${timeoutMs / 1000} s`
    : messageOf(error);
}

import { request } from 'node:http';
import type { Socket } from 'node:net';
import type { Secret } from '@vantage/kernel';

const answerWithinMs = 15_000;

/**
 * Connects to `host:port` through an HTTP proxy (CONNECT, RFC 9110 §9.3.6). `proxy` is
 * `http://[user:password@]host:port`. Rejects when the proxy cannot be reached, refuses, or does not answer within 15
 * s. The error text never contains the password.
 */
export function openTunnel(target: {
  readonly proxy: Secret;
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}): Promise<Socket> {
  const proxy = new URL(target.proxy.reveal());
  const { host, signal } = target;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${target.port}`;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization =
    proxy.username === ''
      ? {}
      : { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
  return new Promise((resolve, reject) => {
    const fault = (text: string) => reject(new Error(`the proxy ${proxy.host} ${text}`));
    const tunnelRequest = request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? 80 : Number(proxy.port),
      method: 'CONNECT',
      path: authority,
      agent: false,
      signal,
      timeout: answerWithinMs,
      headers: { Host: authority, ...authorization },
    });
    tunnelRequest.once('connect', ({ statusCode, statusMessage }, socket: Socket, early) => {
      if (statusCode === 200 && early.length === 0) {
        socket.setTimeout(0);
        resolve(socket);
        return;
      }
      socket.destroy();
      fault(
        statusCode === 200
          ? 'sent data before the controller could'
          : `refuses the connection to ${authority}: ${statusCode} ${statusMessage}`,
      );
    });
    tunnelRequest.once('response', (response) => {
      response.destroy();
      fault(`answers as no proxy does: ${response.statusCode}`);
    });
    tunnelRequest.once('timeout', () =>
      tunnelRequest.destroy(new Error(`no answer within ${answerWithinMs / 1000} s`)),
    );
    tunnelRequest.once('error', (error) => fault(`cannot be used: ${error.message}`));
    tunnelRequest.end();
  });
}

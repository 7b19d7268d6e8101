import { request } from 'node:http';
import type { Socket } from 'node:net';
import type { Secret } from '@vantage/kernel';

const answerWithinMs = 15_000;

/**
 * A connection to `host:port` through an HTTP proxy (CONNECT, RFC 9110 §9.3.6). `proxy` is
 * `http://[user:password@]host:port`. Rejects when the proxy cannot be reached, refuses, or does not answer within 15
 * s; the text never has its password.
 */
export function openTunnel(wanted: {
  readonly proxy: Secret;
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}): Promise<Socket> {
  const proxy = new URL(wanted.proxy.reveal());
  const { host, signal } = wanted;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${wanted.port}`;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization =
    proxy.username === ''
      ? {}
      : { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
  return new Promise((resolve, reject) => {
    const fault = (text: string) => reject(new Error(`the proxy ${proxy.host} ${text}`));
    const asked = request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? 80 : Number(proxy.port),
      method: 'CONNECT',
      path: authority,
      agent: false,
      signal,
      timeout: answerWithinMs,
      headers: { Host: authority, ...authorization },
    });
    asked.once('connect', ({ statusCode, statusMessage }, socket: Socket, early) => {
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
    asked.once('response', (response) => {
      response.destroy();
      fault(`answers as no proxy does: ${response.statusCode}`);
    });
    asked.once('timeout', () => asked.destroy(new Error(`no answer within ${answerWithinMs / 1000} s`)));
    asked.once('error', (error) => fault(`cannot be used: ${error.message}`));
    asked.end();
  });
}

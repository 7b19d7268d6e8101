import type { Http2SecureServer } from 'node:http2';
import { Fault, messageOf } from '@vantage/kernel';

/** Listens and says which setting to change when the port cannot be had. */
export async function listenOn(
  setting: string,
  port: number,
  listen: () => Promise<number>,
): Promise<number> {
  try {
    return await listen();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const why =
      code === 'EADDRINUSE'
        ? 'is in use by another program'
        : code === 'EACCES'
          ? 'needs more rights (ports below 1024)'
          : `cannot be listened on (${messageOf(cause)})`;
    throw new Fault('stop', 'port', `port ${port} ${why}; choose another with ${setting}`, { cause });
  }
}

/** Listens with an HTTP/2 server; resolves with its port. */
export function listenHttp2(
  server: Http2SecureServer,
  port: number,
  host: string | undefined,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }), backlog: 1024 }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { z } from 'zod';

/** The REST API on a database, in a process of its own. Disposing ends it. */
export interface RestProcess extends AsyncDisposable {
  readonly pid: number;
  /** Reads a route with a key of the account. Throws when the answer is not 200. */
  read(route: string): Promise<{ readonly ms: number; readonly headers: IncomingHttpHeaders }>;
}

/** Starts it. Its clock stands still. */
export async function startRestProcess(of: {
  readonly url: string;
  readonly nowUs: number;
  readonly accountNo: number;
}): Promise<RestProcess> {
  const server = fork(path.join(import.meta.dirname, 'list-server.ts'), [
    of.url,
    String(of.nowUs),
    String(of.accountNo),
  ]);
  const [message] = await once(server, 'message');
  const { baseUrl, key } = z.object({ baseUrl: z.string(), key: z.string() }).parse(message);
  const agent = new Agent({ keepAlive: true });
  const headers = { 'Service-API-Key': key, 'X-Forwarded-Proto': 'https' };
  return {
    pid: server.pid ?? 0,
    read(route) {
      const fromMs = performance.now();
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<RestProcess['read']>>>();
      get(`${baseUrl}${route}`, { agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          text = chunk;
        });
        answer.on('end', () =>
          answer.statusCode === 200
            ? resolve({ ms: performance.now() - fromMs, headers: answer.headers })
            : reject(new Error(`${route}: ${answer.statusCode} ${text}`)),
        );
      }).on('error', reject);
      return promise;
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      server.disconnect();
      await once(server, 'exit');
    },
  };
}

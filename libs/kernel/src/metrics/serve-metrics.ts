import { createServer } from 'node:http';
import type { ProcessMetrics } from './process-metrics.ts';

/** The loopback port with the series of a process. */
export interface MetricsPort extends AsyncDisposable {
  readonly port: number;
}

/**
 * Serves `GET /metrics` as plain HTTP on 127.0.0.1, without a key: nobody else reaches the address. Rejects when the
 * port cannot be listened on. A name other than the address or localhost in Host is refused, so that web pages cannot
 * read it by a name of their own.
 */
export async function serveMetrics(
  metrics: Pick<ProcessMetrics, 'text' | 'contentType'>,
  port: number,
): Promise<MetricsPort> {
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '')) {
      answer(400, 'The header Host names another machine.\n');
    } else if (request.method !== 'GET' || request.url !== '/metrics') {
      answer(404, 'There is GET /metrics here, and nothing else.\n');
    } else {
      metrics.text().then(
        (text) => answer(200, text, metrics.contentType),
        () => answer(500, 'The series could not be read.\n'),
      );
    }
  });
  server.maxConnections = 20;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, resolve);
  });
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

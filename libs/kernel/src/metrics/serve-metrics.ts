import { createServer } from 'node:http';
import type { ProcessMetrics } from './process-metrics.ts';

export interface MetricsPort extends AsyncDisposable {
  readonly port: number;
}

/**
 * Serves `GET /metrics` as plain HTTP on 127.0.0.1. It needs no key, because only this machine reaches the address. The
 * header Host must be the address or localhost, so that a web page cannot read the metrics through a name that it
 * controls. Rejects when the port cannot be opened.
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

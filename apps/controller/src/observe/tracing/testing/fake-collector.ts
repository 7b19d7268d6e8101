import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const value = z.looseObject({ stringValue: z.string().optional(), intValue: z.number().optional() });
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((all) =>
    Object.fromEntries(all.map(({ key, value: each }) => [key, each.stringValue ?? each.intValue])),
  );
const span = z.looseObject({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes,
  status: z.looseObject({ code: z.number() }),
});
const body = z.object({
  resourceSpans: z.array(z.looseObject({ scopeSpans: z.array(z.looseObject({ spans: z.array(span) })) })),
});

/** A collector of traces for tests: OTLP over HTTP with JSON. */
export interface FakeCollector extends AsyncDisposable {
  readonly url: string;
  /** All bodies as they came. */
  readonly received: string[];
  spans(): readonly z.output<typeof span>[];
}

/** Starts a collector on a port of its own, or on `port`. */
export async function startFakeCollector(port = 0): Promise<FakeCollector> {
  const received: string[] = [];
  const accept = async (request: IncomingMessage, response: ServerResponse) => {
    const sent = await text(request);
    if (request.url === '/v1/traces') received.push(sent);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => void accept(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: own } = z
    .object({ port: z.int() })
    .parse(server.address() satisfies AddressInfo | string | null);
  return {
    url: `http://127.0.0.1:${own}`,
    received,
    spans: () =>
      received.flatMap((sent) =>
        body
          .parse(JSON.parse(sent))
          .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

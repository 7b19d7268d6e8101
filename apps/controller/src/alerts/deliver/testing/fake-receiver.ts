import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a sink got. */
export interface SunkRequest {
  readonly id: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A web server that keeps the webhooks that it gets. */
export interface Sink extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly SunkRequest[];
}

/** Answers one request; `count` is its place, from 1. */
type Respond = (response: ServerResponse, request: SunkRequest, count: number) => void;

/** Starts a sink on loopback; without `respond` it answers 204. */
export async function startSink(
  respond: Respond = (response) => void response.writeHead(204).end(),
): Promise<Sink> {
  const requests: SunkRequest[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      const { method = '', url: path = '' } = request;
      const sunk = { id: headers['webhook-id'] ?? '', method, path, headers, body };
      requests.push(sunk);
      respond(response, sunk, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server.address())}/hook`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  request.setEncoding('utf8');
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}

import { createServer, type IncomingMessage } from 'node:http';

/** One request as a receiver got it. */
export interface Received {
  /** The contact's name in the lab. */
  readonly contact: string;
  /** The path after the contact's name, with its query. */
  readonly path: string;
  readonly id: string;
  readonly text: string;
  /** The status that the receiver answered. */
  readonly status: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** One HTTP server in place of the services of many contacts. */
export interface Receivers extends AsyncDisposable {
  /** The address of a contact's service, which ends in a slash. */
  url(contact: string): string;
  /** All requests in the order of arrival, also those that were refused. */
  readonly received: readonly Received[];
  /** From now on the contact's service answers this status. */
  answer(contact: string, status: number): void;
}

/** Starts the server on loopback. It accepts everything until `answer` says otherwise. */
export async function startReceivers(): Promise<Receivers> {
  const received: Received[] = [];
  const statuses = new Map<string, number>();
  const server = createServer((request, response) => {
    void readText(request).then((text) => {
      const [, contact = '', path = ''] = /^\/([^/?]*)(.*)$/.exec(request.url ?? '') ?? [];
      const status = statuses.get(contact) ?? 200;
      const id = String(request.headers['webhook-id'] ?? '');
      received.push({ contact, path, id, text, status, atMs: Date.now() });
      response.statusCode = status;
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: (contact) => `http://127.0.0.1:${port}/${contact}/`,
    received,
    answer: (contact, status) => void statuses.set(contact, status),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

import { createServer, type IncomingMessage } from 'node:http';
import { messageOf } from '@vantage/kernel';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

const body = z.looseObject({
  type: z.string(),
  data: z.looseObject({
    ShortName: z.string().nullish(),
    Name: z.string().nullish(),
    Contact: z.string().nullish(),
    Location: z.string().nullish(),
    device_id: z.string().nullish(),
  }),
});

/** One webhook as it arrived. */
interface Hook {
  readonly id: string;
  readonly type: string;
  /**
   * The ShortName of the device, else the name of the anchor or the contact, else that of the Location; '' for messages
   * about neither.
   */
  readonly about: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly text: string;
}

/** A server that receives webhooks and verifies their signatures with the public library. */
export interface FakeWebhookReceiver extends AsyncDisposable {
  readonly url: string;
  /** Good messages in the order of arrival, repetitions of an id included. */
  readonly hooks: readonly Hook[];
  /** One sentence for each message that a receiver must refuse. */
  readonly faults: readonly string[];
}

/** Starts the receiver on loopback. `secret` is the contact's (`whsec_…`). */
export async function startFakeWebhookReceiver(secret: string): Promise<FakeWebhookReceiver> {
  const hooks: Hook[] = [];
  const faults: string[] = [];
  const verifier = new Webhook(secret);
  const receive = (text: string, headers: Record<string, string>) => {
    try {
      const { type, data } = body.parse(verifier.verify(text, headers));
      const about = data.ShortName ?? data.Name ?? data.Contact ?? data.Location ?? '';
      hooks.push({ id: headers['webhook-id'] ?? '', type, about, atMs: Date.now(), text });
      return 204;
    } catch (error) {
      faults.push(`${messageOf(error)}: ${text.slice(0, 200)}`);
      return 400;
    }
  };
  const server = createServer((request, response) => {
    void readText(request).then((text) => {
      response.statusCode = receive(text, flat(request.headers));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    hooks,
    faults,
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

function flat(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

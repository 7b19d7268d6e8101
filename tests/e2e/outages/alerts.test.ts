// From a target's death to the message: the whole system, with a webhook as the only contact.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { startTarget } from '../../harness/target.ts';
import { system } from './system.ts';

const soon = { timeout: 60_000, interval: 300 };
const created = z.record(z.string(), z.string()).transform((body) => Object.values(body)[0] ?? '');
const message = z.object({
  type: z.string(),
  data: z.object({ alert_id: z.string(), ShortName: z.string(), Status: z.string(), Location: z.string() }),
});
const alerts = z.array(
  z.object({
    alert_id: z.string(),
    State: z.string(),
    Kind: z.string(),
    device_id: z.string().nullable(),
    Notifications: z.array(z.object({ State: z.string() })),
  }),
);

/** A server that says 200 to everything. */
async function startFakeReceiver() {
  const messages: z.infer<typeof message>[] = [];
  const receive = async (request: IncomingMessage) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    if (request.method === 'POST') messages.push(message.parse(JSON.parse(text)));
  };
  const server = createServer((request, response) => {
    void receive(request).finally(() => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    messages,
    url: `http://127.0.0.1:${port}/hook`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function create(path: string, body: object): Promise<string> {
  return created.parse(await system.api.ok('POST', path, body));
}

test('a webhook gets device.down when the target dies and device.up when it is back, and the alert closes', {
  timeout: 240_000,
}, async () => {
  const receiver = await startFakeReceiver();
  const contact = await create('/contacts', {
    Name: 'receiver',
    Type: 'webhook',
    Address: receiver.url,
    Secret: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
  });
  const Steps = [{ DelayMinutes: 0, Contacts: [contact] }];
  const schedule = await create('/nschedules', { Name: 'Everybody', Steps });
  await system.api.ok('PUT', '/account', { nschedule_id: schedule });
  await using target = await startTarget();
  const device = await create('/devices', {
    Method: 'TCP',
    URL: `127.0.0.1:${target.port}`,
    ShortName: 'web',
    RetryDelay: 1,
    Timeout: 5,
  });
  const status = async () =>
    z.object({ Status: z.string() }).parse(await system.api.ok('GET', `/devices/${device}`)).Status;
  await vi.waitFor(async () => expect(await status()).toBe('Up'), soon);
  await target.stop();
  await system.api.ok('POST', `/devices/${device}/check`);
  await vi.waitFor(() => expect(receiver.messages.map(({ type }) => type)).toEqual(['device.down']), soon);
  await target.start();
  await system.api.ok('POST', `/devices/${device}/check`);
  await vi.waitFor(
    () => expect(receiver.messages.map(({ type }) => type)).toEqual(['device.down', 'device.up']),
    soon,
  );
  expect(receiver.messages.map(({ data }) => data)).toMatchObject([
    { ShortName: 'web', Status: 'Down', Location: 'local' },
    { ShortName: 'web', Status: 'Up', Location: 'local' },
  ]);
  await vi.waitFor(async () => {
    expect(alerts.parse(await system.api.ok('GET', '/alerts'))).toMatchObject([
      {
        alert_id: receiver.messages[0]?.data.alert_id,
        State: 'Closed',
        Kind: 'device.down',
        device_id: device,
        Notifications: [{ State: 'Delivered' }, { State: 'Delivered' }],
      },
    ]);
  }, soon);
  receiver.close();
});

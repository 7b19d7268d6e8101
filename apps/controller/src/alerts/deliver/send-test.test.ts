import { systemClock } from '@vantage/kernel';
import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { expect, test } from 'vitest';
import { createChannels } from '../channels/channel-registry.ts';
import { sendTest } from './send-test.ts';
import { createDeliveryFixture, type DeliveryFixture } from './testing/delivery-fixture.ts';

const channels = createChannels({ allowPrivate: true, smtpUrl: undefined, mailFrom: 'v@example.org' });

function send({ db, sealer }: DeliveryFixture, contactNo: number) {
  const deps = { db, sealer, channels, clock: systemClock, linkOf: () => '' };
  return sendTest(deps, contactNo, AbortSignal.timeout(9_000));
}

test('a test message is sent at once, with the answer of the receiver, beside notifications that wait', async () => {
  await using fixture = await createDeliveryFixture();
  let status = 200;
  await using receiver = await startFakeReceiver((response) => void response.writeHead(status).end());
  const contact = await fixture.webhook(receiver.url);
  await fixture.add([contact, 'device:1', 'waits']);
  expect(await send(fixture, contact)).toEqual({ isDelivered: true, answer: 'HTTP 200 OK' });
  status = 404;
  expect(await send(fixture, contact)).toEqual({ isDelivered: false, answer: 'HTTP 404 Not Found' });
  expect(receiver.requests.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'test', data: { Contact: 'contact', Message: 'This is a test message. Nothing has happened.' } },
    { type: 'test' },
  ]);
  expect(await fixture.states()).toMatchObject([{ state: 'Pending', attempts: 0 }]);
  expect(await send(fixture, 999)).toBeUndefined();
});

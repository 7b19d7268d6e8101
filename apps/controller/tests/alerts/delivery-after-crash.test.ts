import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { systemClock } from '@vantage/kernel';
import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createChannels } from '../../src/alerts/channels/channel-registry.ts';
import { claim } from '../../src/alerts/deliver/claim.ts';
import { retryTimes } from '../../src/alerts/deliver/notification-state.ts';
import { record } from '../../src/alerts/deliver/record-attempt.ts';
import {
  createDeliveryFixture,
  type DeliveryFixture,
} from '../../src/alerts/deliver/testing/delivery-fixture.ts';

const soon = { timeout: 60_000, interval: 20 };

test('a process that is killed between send and record: the message is sent again under the same id, with the same body', async () => {
  await using fixture = await createDeliveryFixture();
  let kill = () => false;
  await using receiver = await startFakeReceiver((response, _request, count) => {
    if (count === 1) kill();
    else response.writeHead(200).end();
  });
  const contact = await fixture.webhook(receiver.url);
  await fixture.add([contact, 'device:1', 'down'], [contact, 'device:1', 'up']);
  const program = path.join(import.meta.dirname, '../../src/alerts/deliver/testing/worker-process.ts');
  const worker = spawn(process.execPath, [program, fixture.url, fixture.key.toString('hex')], {
    stdio: 'ignore',
  });
  kill = () => worker.kill('SIGKILL');
  await once(worker, 'exit');
  expect(await fixture.states()).toMatchObject([
    { state: 'Pending', attempts: 1 },
    { state: 'Pending', attempts: 0 },
  ]);
  await using _working = fixture.work();
  // The lease lasts 40 s; here its time is over at once.
  await sql`update notifications set lease_until_us = 0 where lease_token is not null`.execute(
    fixture.db.kysely,
  );
  await vi.waitFor(async () => {
    expect((await fixture.states()).map(({ state }) => state)).toEqual(['Delivered', 'Delivered']);
  }, soon);
  const [first, again, last] = receiver.requests;
  expect(receiver.requests).toHaveLength(3);
  expect(again).toMatchObject({ id: first?.id, body: first?.body });
  expect(last?.id).not.toBe(first?.id);
});

async function claimOne(fixture: DeliveryFixture, contactNo: number, token: string) {
  const deps = {
    log: fixture.log,
    timeScale: (length: number) => length,
    newToken: () => token,
    channels: createChannels({ allowPrivate: true, smtpUrl: undefined, mailFrom: 'v@example.org' }),
    readDay: async () => null,
    onFailed: async () => {},
  };
  const nowUs = systemClock.nowUs();
  const ask = { contactNo, slots: 4, nowUs };
  return fixture.db.kysely.transaction().execute((trx) => claim(trx, ask, deps));
}

test('a worker that was frozen past its lease records nothing, and a running lease is claimed by nobody else', async () => {
  await using fixture = await createDeliveryFixture();
  const contact = await fixture.webhook('http://127.0.0.1:9/');
  await fixture.add([contact, 'device:1', 'web']);
  const [frozen] = await claimOne(fixture, contact, 'frozen');
  if (frozen === undefined) throw new Error('nothing was claimed');
  expect(await claimOne(fixture, contact, 'other')).toEqual([]);
  await sql`update notifications set lease_until_us = 0`.execute(fixture.db.kysely);
  expect(await claimOne(fixture, contact, 'other')).toMatchObject([
    { id: frozen.id, message: frozen.message },
  ]);
  const answer = async (token: string) =>
    fixture.db.kysely
      .transaction()
      .execute((trx) =>
        record(
          trx,
          { ...frozen, token, outcome: { kind: 'delivered', text: 'ok' }, nowUs: systemClock.nowUs() },
          { times: retryTimes(), onFailed: async () => {} },
        ),
      );
  expect(await answer('frozen')).toMatchObject({ isRecorded: false });
  expect(await fixture.states()).toMatchObject([{ state: 'Pending', attempts: 2 }]);
  expect(await answer('other')).toMatchObject({ isRecorded: true, state: 'Delivered' });
  expect(await answer('other')).toMatchObject({ isRecorded: false });
});

import { systemClock } from '@vantage/kernel';
import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { expect, test, vi } from 'vitest';
import { createChannels } from '../../src/alerts/channels/channel-registry.ts';
import { sendTest } from '../../src/alerts/deliver/send-test.ts';
import { createDeliveryFixture } from '../../src/alerts/deliver/testing/delivery-fixture.ts';

const soon = { timeout: 60_000, interval: 20 };

test('a contact that is put into shadow gets nothing more, also not what was decided before, and no test message', async () => {
  await using fixture = await createDeliveryFixture();
  await using receiver = await startFakeReceiver();
  const [shadow, live] = [await fixture.webhook(receiver.url), await fixture.webhook(receiver.url)];
  await fixture.add(
    [shadow, 'device:1', 'before'],
    [shadow, 'device:2', 'before'],
    [live, 'device:1', 'live'],
  );
  await fixture.db.kysely
    .updateTable('contacts')
    .set({ shadow: true })
    .where('contact_no', '=', shadow)
    .execute();
  await using _working = fixture.work();
  await fixture.add([shadow, 'device:1', 'after']);
  await vi.waitFor(async () => {
    expect((await fixture.states()).map(({ state, text }) => `${text} ${state}`)).toEqual([
      'before Shadow',
      'before Shadow',
      'live Delivered',
      'after Shadow',
    ]);
  }, soon);
  expect(receiver.requests.map(({ body }) => body.includes('live'))).toEqual([true]);
  const channels = createChannels({ allowPrivate: true, smtpUrl: undefined, mailFrom: 'v@example.org' });
  const deps = { db: fixture.db, channels, clock: systemClock, sealer: fixture.sealer, linkOf: () => '' };
  expect(await sendTest(deps, shadow, AbortSignal.timeout(9_000))).toEqual({
    isDelivered: false,
    answer: 'the contact is in shadow, so nothing was sent',
  });
  expect(receiver.requests).toHaveLength(1);
});

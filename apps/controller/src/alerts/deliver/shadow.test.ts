import { systemClock } from '@vantage/kernel';
import { expect, test, vi } from 'vitest';
import { createChannels } from './channels/registry.ts';
import { sendTest } from './send-test.ts';
import { startSink } from './testing/sink.ts';
import { createWorkbench } from './testing/workbench.ts';

const soon = { timeout: 60_000, interval: 20 };

test('a contact that is put into shadow gets nothing more, also not what was decided before, and no test message', async () => {
  await using bench = await createWorkbench();
  await using sink = await startSink();
  const [shadow, live] = [await bench.webhook(sink.url), await bench.webhook(sink.url)];
  await bench.add([shadow, 'device:1', 'before'], [shadow, 'device:2', 'before'], [live, 'device:1', 'live']);
  await bench.db.kysely
    .updateTable('contacts')
    .set({ shadow: true })
    .where('contact_no', '=', shadow)
    .execute();
  await using _working = bench.work();
  await bench.add([shadow, 'device:1', 'after']);
  await vi.waitFor(async () => {
    expect((await bench.states()).map(({ state, text }) => `${text} ${state}`)).toEqual([
      'before Shadow',
      'before Shadow',
      'live Delivered',
      'after Shadow',
    ]);
  }, soon);
  expect(sink.requests.map(({ body }) => body.includes('live'))).toEqual([true]);
  const channels = createChannels({ allowPrivate: true, smtpUrl: undefined, mailFrom: 'v@example.org' });
  const deps = { db: bench.db, channels, clock: systemClock, sealer: bench.sealer, linkOf: () => '' };
  expect(await sendTest(deps, shadow, AbortSignal.timeout(9_000))).toEqual({
    isDelivered: false,
    answer: 'the contact is in shadow, so nothing was sent',
  });
  expect(sink.requests).toHaveLength(1);
});

import { createLog, newId, systemClock } from '@vantage/kernel';
import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createWebhook } from '../../src/alerts/channels/webhook.ts';
import { runHooks } from '../../src/alerts/deliver/hooks/deliver-hooks.ts';
import { createEventFeed, createEventSource } from '../../src/reading/history/index.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

const Secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const soon = { timeout: 60_000, interval: 50 };
const log = createLog('hooks', 'silent');
/** Attempts that wait for an answer go on until the test ends. */
const patientClock: typeof systemClock = {
  ...systemClock,
  timer: (ms, run) => systemClock.timer(ms >= 10_000 ? ms * 1_000 : ms, run),
};
let rest: RestFixture;
beforeAll(async () => {
  rest = await createRestFixture({ environment: { allowPrivateWebhooks: true } });
});
afterAll(() => rest[Symbol.asyncDispose]());

/** An account with hooks, and a function that makes an event of it. */
async function accountWith(hooks: number, address: string) {
  const { accountNo } = await rest.account(newId().slice(0, 12));
  const { key } = await rest.key(accountNo, 'UW');
  const add = async (path: string, body: object) => {
    expect((await rest.send('POST', path, { key, body })).text).toContain('_id');
  };
  for (let n = 0; n < hooks; n += 1) await add('/hooks', { Name: `${n}`, Address: address, Secret });
  return {
    happen: () => add('/devices', { Method: 'TCP', URL: 'example.org:1', ShortName: newId().slice(0, 8) }),
  };
}

test.each([
  { accounts: 1, hooks: 100 },
  { accounts: 8, hooks: 20 },
])(
  '$accounts accounts with $hooks hooks each, whose receiver never answers, delay no event of another account',
  async ({ accounts, hooks }) => {
    await using silent = await startFakeReceiver(() => {});
    await using well = await startFakeReceiver();
    const slow = [];
    for (let n = 0; n < accounts; n += 1) slow.push(await accountWith(hooks, silent.url));
    const other = await accountWith(1, well.url);
    await using feed = createEventFeed({ db: rest.db, clock: systemClock, log });
    const ending = new AbortController();
    const done = runHooks(
      {
        db: rest.db,
        clock: patientClock,
        log,
        sealer: rest.sealer,
        mayGiveUp: () => true,
        channel: createWebhook({ allowPrivate: true }),
        events: createEventSource(rest.db, feed),
        timeScale: (time) => time / 100,
      },
      ending.signal,
    );
    for (const { happen } of slow) await happen();
    let held = 0;
    // All that the slow accounts may have at once is under way when their number grows no more.
    await vi.waitFor(
      () => {
        const before = held;
        held = silent.requests.length;
        expect(held).toBeGreaterThanOrEqual(accounts);
        expect(held).toBe(before);
      },
      { timeout: 60_000, interval: 1_000 },
    );
    for (let n = 1; n <= 5; n += 1) {
      await other.happen();
      await vi.waitFor(() => expect(well.requests).toHaveLength(n), soon);
    }
    ending.abort(new Error('the test ends'));
    await done;
  },
);

import { newAlertState } from '@vantage/alerts';
import { createLog, newId } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import type { Database } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { runRequests } from '../../src/agents/run-requests/index.ts';
import { createAlerts } from '../../src/alerts/decide/decide-alerts.ts';
import { dueAlertNos } from '../../src/alerts/decide/due-store.ts';
import { recordEvents } from '../../src/results/events/record-events.ts';

const soon = { timeout: 60_000, interval: 20 };
let db: Database;
useDatabase((opened) => {
  db = opened;
});

/** Due alerts of an account, each of a device of its own. */
async function alerts(accountNo: number, count: number, dueUs: number): Promise<readonly number[]> {
  const fixtures = createFixtures(db.kysely);
  const state = JSON.stringify(newAlertState('active', 1));
  const nos: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const deviceNo = await fixtures.device(accountNo, []);
    const { rows } = await sql<{ alert_no: number }>`
      insert into alerts (alert_id, account_no, kind, device_no, device_id, severity, opened_us, since_us, state, due_us, opening)
      select ${newId()}, ${accountNo}, 'device.down', device_no, device_id, 'warning', 1, 1, ${state}::jsonb, ${dueUs}, '{}'
      from devices where device_no = ${deviceNo} returning alert_no`.execute(db.kysely);
    nos.push(...rows.map(({ alert_no }) => alert_no));
  }
  return nos;
}

test('alerts that somebody else locks keep no alert of another account from its decision, and the loop rests', async () => {
  const fixtures = createFixtures(db.kysely);
  const locked = await alerts(await fixtures.account(), 250, 1);
  const [own] = await alerts(await fixtures.account(), 1, 2);
  const clock = createFakeClock();
  const log = createLog('alerts test', 'silent');
  const ending = new AbortController();
  await db.kysely.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    await sql`select from alerts where alert_no = any(${locked}::bigint[]) for update`.execute(trx);
    const running = createAlerts({
      db,
      clock,
      log,
      recordEvents,
      createRunRequests: runRequests.createRunRequests,
      enqueue: async () => {},
      withdraw: async () => {},
      withdrawEnds: async () => [],
    }).run(ending.signal);
    try {
      const isOpen = async () => {
        const { rows } = await sql`select from alerts where alert_no = ${own} and due_us = 2`.execute(
          db.kysely,
        );
        return rows.length > 0;
      };
      await vi.waitFor(async () => expect(await isOpen()).toBe(false), soon);
      // The only timer is that of the loop's rest.
      await vi.waitFor(() => expect(clock.pending).toBe(1), soon);
    } finally {
      ending.abort();
      await running;
    }
  });
});

test('due alerts are read in turns by account, without those that were read before', async () => {
  const fixtures = createFixtures(db.kysely);
  const [first, second] = [await fixtures.account(), await fixtures.account()];
  const many = await alerts(first, 5, 10);
  const few = await alerts(second, 2, 20);
  await sql`update alerts set due_us = null where not (alert_no = any(${[...many, ...few]}::bigint[]))`.execute(
    db.kysely,
  );
  const [a, b, c, d, e] = many;
  const [x, y] = few;
  const read = (except: readonly number[]) => dueAlertNos(db.kysely, 30, { limit: 4, except });
  expect(await read([])).toEqual([a, x, b, y]);
  expect(await read([a ?? 0, x ?? 0, b ?? 0, y ?? 0])).toEqual([c, d, e]);
});

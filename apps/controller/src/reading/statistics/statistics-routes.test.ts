import { createLog, newId } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { rollUps } from '../../results/roll-up/index.ts';
import { createRestFixture } from '../../testing/rest-fixture.ts';
import { addChecks, createSampleAccount } from '../../testing/sample-account.ts';

test('availability is of regular checks; retries and checks on request are counted apart', async () => {
  await using rest = await createRestFixture();
  const account = await rest.account('one');
  const { key } = await rest.key(account.accountNo, 'UW');
  const { ids, deviceNo, agentNo } = await createSampleAccount(rest, account, key);
  const minuteUs = 60_000_000;
  const atUs = rest.clock.nowUs() - 300 * minuteUs;
  const starts = Array.from({ length: 8 }, (_, i) => atUs + i * minuteUs);
  await addChecks(rest, { ...account, deviceNo, agentNo }, starts);
  const change = (at: number, values: { code?: number; attempt?: number; run_request_id?: string }) =>
    rest.db.kysely
      .updateTable('check_rows')
      .set(values)
      .where('start_us', '=', starts[at] ?? 0)
      .execute();
  // One regular check is bad, its two retries are too (an agent's own and one that the controller requested), and so is
  // a check on request.
  await change(3, { code: 2 });
  await change(4, { code: 2, attempt: 1 });
  await change(5, { code: 2, attempt: 2, run_request_id: newId() });
  await change(6, { code: 2, run_request_id: newId() });
  const read = async () => {
    const period = `Timestamp1=${new Date(atUs / 1000).toISOString()}`;
    const end = `Timestamp2=${new Date((atUs + 60 * minuteUs) / 1000).toISOString()}`;
    const path = `/devices/${ids['device_id']}/statistics?${period}&${end}`;
    return Promise.all(
      ['All', 'Hour', 'Day'].map(
        async (bucket) => (await rest.send('GET', `${path}&Bucket=${bucket}`, { key })).json,
      ),
    );
  };
  const raw = await read();
  expect(raw).toMatchObject([
    [{ Count: 5, Errors: 1, Availability: 80, Retries: 2, OnRequest: 1, Loss: 25 }],
    [{ Count: 5 }],
    [{ Count: 5 }],
  ]);
  await rollUps.createRollUp({ db: rest.db, clock: rest.clock, log: createLog('stats', 'silent') }).run();
  const daily = await rest.db.kysely
    .selectFrom('rollup_daily')
    .select(['checks', 'retries', 'on_request'])
    .orderBy('bucket_us')
    .execute();
  expect(daily[0]).toEqual({ checks: 5, retries: 2, on_request: 1 });
  expect(await read()).toEqual(raw);
});

test.each([
  [1, '5Min', 5],
  [24, '5Min', 5],
  [72, '15Min', 15],
  [10 * 24, 'Hour', 60],
  [90 * 24, '6Hour', 360],
  [365 * 24, 'Day', 1_440],
  [3 * 365 * 24, 'Week', 7 * 1_440],
])('Points=400 over %i hours has buckets of %s', async (hours, name, minutes) => {
  await using rest = await createRestFixture();
  const account = await rest.account('one', 'Europe/Berlin');
  const { key } = await rest.key(account.accountNo, 'UW');
  const { ids, deviceNo, agentNo } = await createSampleAccount(rest, account, key);
  const nowUs = rest.clock.nowUs();
  const starts = [3, 17, 40].map((minute) => nowUs - minute * 60_000_000);
  await addChecks(rest, { ...account, deviceNo, agentNo }, starts);
  const begin = new Date((nowUs - hours * 3_600_000_000) / 1000).toISOString();
  const path = `/devices/${ids['device_id']}/statistics?Timestamp1=${begin}`;
  const chosen = await rest.send('GET', `${path}&Points=400`, { key });
  expect(chosen.json).toEqual((await rest.send('GET', `${path}&Bucket=${name}`, { key })).json);
  expect((hours * 60) / minutes).toBeLessThanOrEqual(400);
  const both = await rest.send('GET', `${path}&Points=400&Bucket=Day`, { key });
  expect(both.json).toMatchObject({ code: 1004, errors: [{ field: 'Points' }] });
});

import { minuteUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createPartitions } from '@vantage/storage';
import { goodCheck } from '@vantage/testing/good-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { addAccount } from '../../testing/one-account.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

let rest: RestFixture;
beforeAll(async () => {
  rest = await createRestFixture();
  const { db, clock } = rest;
  await createPartitions({ db, clock, log: createLog('checks', 'silent'), retentionDays: 1 }).ensure();
});
afterAll(() => rest[Symbol.asyncDispose]());

test('checks are filtered by PerfStat, alone and with a page', async () => {
  const one = await addAccount(rest, 'perf');
  const id = await one.create('/devices', { Method: 'TCP', URL: 'example.org:9', ShortName: 'perf' });
  const { kysely } = rest.db;
  const { rows } = await sql<{ device_no: number }>`
    select device_no from devices where device_id = ${id}`.execute(kysely);
  const device_no = rows[0]?.device_no ?? 0;
  const nowUs = rest.clock.nowUs();
  // Ok, Slow and Error in turns, the newest first.
  const checks = Array.from({ length: 9 }, (_, at) => ({
    ...goodCheck(nowUs - (at + 1) * minuteUs, { device_no, perf: at % 3, code: at % 3 === 2 ? 2 : 1 }),
    extended: null,
  }));
  await kysely.insertInto('checks').values(checks).execute();
  const read = async (query: string) => {
    const { json } = await one.send('GET', `/devices/${id}/checks?${query}`);
    return z.array(z.looseObject({ check_id: z.string(), PerfStat: z.string() })).parse(json);
  };
  const stats = (found: Awaited<ReturnType<typeof read>>) => found.map(({ PerfStat }) => PerfStat);
  expect(stats(await read('PerfStat=Slow'))).toEqual(['Slow', 'Slow', 'Slow']);
  expect(stats(await read('PerfStat=Slow,Error'))).toEqual([
    'Slow',
    'Error',
    'Slow',
    'Error',
    'Slow',
    'Error',
  ]);
  const [first] = await read('PerfStat=Slow&Limit=1');
  expect(stats(await read(`PerfStat=Slow&Before=${first?.check_id}`))).toEqual(['Slow', 'Slow']);
  expect((await one.send('GET', `/devices/${id}/checks?PerfStat=Late`)).json).toMatchObject({
    code: 1004,
    errors: [{ field: 'PerfStat' }],
  });
});

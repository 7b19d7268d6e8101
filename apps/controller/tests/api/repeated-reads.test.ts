import { dayUs } from '@vantage/domain';
import { createLog, newId } from '@vantage/kernel';
import { createPartitions } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';
import { addChecks } from '../../src/testing/sample-account.ts';

const retentionDays = 30;
const nowUs = 1_790_000_000_000_000;

describe('a read that programs repeat', () => {
  let rest: RestFixture;
  let key: string;
  let deviceId: string;
  let who: { deviceNo: number; agentNo: number; locationNo: number };

  beforeAll(async () => {
    rest = await createRestFixture();
    const { db, clock } = rest;
    await createPartitions({ db, clock, log: createLog('test', 'silent'), retentionDays }).ensure();
    const account = await rest.account('one');
    ({ key } = await rest.key(account.accountNo, 'UR'));
    const make = createFixtures(db.kysely);
    const { agentNo } = await make.agent(account);
    deviceId = newId();
    const createdUs = nowUs - 20 * dayUs;
    const values = { device_id: deviceId, created_us: createdUs };
    const deviceNo = await make.device(account.accountNo, [account.locationNo], values);
    who = { deviceNo, agentNo, locationNo: account.locationNo };
    for (let i = 0; i < 150; i += 1) {
      const no = await make.device(account.accountNo, [account.locationNo], { created_us: createdUs });
      await addChecks(rest, { ...who, deviceNo: no }, [nowUs - 1e6 - i, nowUs - 2e6 - i]);
    }
    await sql`analyze`.execute(db.kysely);
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const get = (path: string) => rest.send('GET', path, { key });

  it('is planned once for all values', async () => {
    const paths = [
      '/devices?Limit=100',
      '/devices?Filter=Down',
      `/devices/${deviceId}`,
      `/devices/${deviceId}/checks`,
    ];
    for (const path of paths) for (let i = 0; i < 12; i += 1) expect((await get(path)).status).toBe(200);
    // All requests came one after another, so one connection of each lane served them.
    const prepared = (lane: 'reads' | 'history') =>
      sql<{ custom: number }>`
        select custom_plans::int as custom from pg_prepared_statements
        where statement ~ 'from checks' and statement not like '%pg_prepared%'`.execute(
        rest.db.lane(lane, 1).kysely,
      );
    const rows = [...(await prepared('reads')).rows, ...(await prepared('history')).rows];
    // PostgreSQL plans the first five runs for their own values.
    expect(rows.length).toBeGreaterThanOrEqual(paths.length);
    expect(rows.filter(({ custom }) => custom > 5)).toEqual([]);
  });

  it('finds the checks of all days, whichever of them are recent', async () => {
    const ages = [0.1, 0.2, 6, 7, 8, 9, 15, 19];
    await addChecks(
      rest,
      who,
      ages.map((days) => nowUs - days * dayUs),
    );
    const ageOf = (timestamp: string) => Math.round((nowUs / 1e6 - Date.parse(timestamp) / 1e3) / 8_640) / 10;
    const read = async (query: string) => {
      const { json } = await get(`/devices/${deviceId}/checks?${query}`);
      return z.array(z.object({ check_id: z.string(), Timestamp: z.string() })).parse(json);
    };
    const agesOf = async (query: string) => (await read(query)).map(({ Timestamp }) => ageOf(Timestamp));
    expect(await agesOf('')).toEqual(ages);
    expect(await agesOf('Limit=2')).toEqual([0.1, 0.2]);
    expect(await agesOf('Limit=3&Offset=1')).toEqual([0.2, 6, 7]);
    expect(await agesOf('ResultCode=1&Limit=7')).toEqual(ages.slice(0, 7));
    const all = await read('');
    for (const [at, { check_id }] of all.entries())
      expect(await agesOf(`Before=${check_id}`)).toEqual(ages.slice(at + 1));
    const until = new Date((nowUs - 8 * dayUs) / 1000).toISOString().replace('.000', '');
    expect(await agesOf(`Timestamp2=${until}`)).toEqual([8, 9, 15, 19]);
    expect(await agesOf(`Timestamp1=${until}`)).toEqual([0.1, 0.2, 6, 7, 8]);
  });
});

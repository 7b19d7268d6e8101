import { hourUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { createTestDatabase } from '@vantage/testing/database';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { uptimes } from './device-uptime.ts';

test('a device that moved between two agents every hour has coverage while its agent of that hour has', async () => {
  await using database = await createTestDatabase();
  const db = await createDb({ connection: { url: database.url }, log: createLog('uptime', 'silent') });
  const make = createFixtures(db.kysely);
  const accountNo = await make.account();
  const locationNo = await make.location(accountNo);
  const place = { accountNo, locationNo };
  const [{ agentNo: one }, { agentNo: two }] = [await make.agent(place), await make.agent(place)];
  const deviceNo = await make.device(accountNo, [locationNo]);
  const hours = 2_000;
  const span = { deviceNo, locationNo };
  // One looks always, but for the last minute of each hour; the other one looks in the hours that are not his.
  const expected = { UpSeconds: 0, UnknownSeconds: 0 };
  for (let hour = 0; hour < hours; hour += 1) {
    const [fromUs, toUs] = [hour * hourUs, (hour + 1) * hourUs];
    const agentNo = hour % 2 === 0 ? one : two;
    if (hour < 40) await make.hold({ ...span, agentNo, fromUs, toUs });
    expected.UpSeconds += hour < 40 && hour % 2 === 0 ? 3_540 : 0;
  }
  expected.UnknownSeconds = hours * 3_600 - expected.UpSeconds;
  await sql`insert into coverage (agent_no, from_us, to_us)
    select ${one}::int, i * ${hourUs}::bigint, (i + 1) * ${hourUs}::bigint - 60000000 from generate_series(0, ${hours}) i
    union all select ${two}::int, i * 2 * ${hourUs}::bigint, (i * 2 + 1) * ${hourUs}::bigint from generate_series(0, ${hours}) i`.execute(
    db.kysely,
  );
  await sql`insert into status_intervals values (${deviceNo}, 0, 'Up')`.execute(db.kysely);
  const toUs = hours * hourUs;
  const rest = { DownSeconds: 0, MaintenanceSeconds: 0, ExcludedSeconds: 0, Outages: 0, ExcludedOutages: 0 };
  const whole = { deviceNo, createdUs: 0, fromUs: 0 };
  expect(await uptimes(db.kysely, { devices: [whole], toUs, nowUs: toUs })).toEqual(
    new Map([[deviceNo, { ...expected, ...rest }]]),
  );
  // Beside another device, with a period of its own, nothing changes.
  const idle = await make.device(accountNo, [locationNo]);
  const lastHour = { deviceNo: idle, createdUs: 0, fromUs: toUs - hourUs };
  expect(await uptimes(db.kysely, { devices: [lastHour, whole], toUs, nowUs: toUs })).toEqual(
    new Map([
      [idle, { UpSeconds: 0, UnknownSeconds: 3_600, ...rest }],
      [deviceNo, { ...expected, ...rest }],
    ]),
  );
  await db.close();
});

test('a minute in which a connected agent stood still stays Unknown, also while its report of before is recent', async () => {
  await using database = await createTestDatabase();
  const db = await createDb({ connection: { url: database.url }, log: createLog('uptime', 'silent') });
  const make = createFixtures(db.kysely);
  const accountNo = await make.account();
  const locationNo = await make.location(accountNo);
  const { agentNo } = await make.agent({ accountNo, locationNo }, { state: 'Connected' });
  const deviceNo = await make.device(accountNo, [locationNo]);
  await make.hold({ deviceNo, locationNo, agentNo, fromUs: 0 });
  await sql`insert into status_intervals values (${deviceNo}, 0, 'Up')`.execute(db.kysely);
  const second = 1_000_000;
  await sql`insert into coverage (agent_no, from_us, to_us)
    values (${agentNo}, 0, ${10 * second}), (${agentNo}, ${70 * second}, ${80 * second})`.execute(db.kysely);
  const devices = [{ deviceNo, createdUs: 0, fromUs: 0 }];
  const seconds = async (toUs: number) =>
    (await uptimes(db.kysely, { devices, toUs, nowUs: 85 * second })).get(deviceNo);
  expect(await seconds(85 * second)).toMatchObject({ UpSeconds: 25, UnknownSeconds: 60 });
  expect(await seconds(60 * second)).toMatchObject({ UpSeconds: 10, UnknownSeconds: 50 });
  await db.close();
});

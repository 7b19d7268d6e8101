import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAlertFixture } from '../../src/alerts/decide/testing/alert-fixture.ts';
import { second, startUs } from '../../src/results/status/testing/scenario.ts';

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;
let place: { locationNo: number; agentNo: number };
const day = 86_400;

beforeAll(async () => {
  fixture = await createAlertFixture();
  place = await fixture.location('Oslo');
  await fixture.everybody();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Good regular checks, one a minute from here on: `s` is a slow one. Returns when the next one would be. */
async function run(device: number, from: number, speeds: string) {
  for (const [n, speed] of speeds.split('').entries())
    await fixture.take([{ device, agent: place.agentNo, at: from + 60 * n, code: 1, isSlow: speed === 's' }]);
  return from + 60 * speeds.length;
}

async function types(device: number) {
  return (await fixture.events(device)).map(({ type }) => type);
}

test('three slow checks in a row open device.slow, five fast ones in a row end it', async () => {
  const device = await fixture.device([place]);
  const slowAt = await run(device, 1_000, 'ffssfss');
  expect(await types(device)).toEqual(['Up']);
  await run(device, slowAt, 's');
  await fixture.decide(slowAt + 5);
  expect(await types(device)).toEqual(['Up', 'Slow', 'Alert']);
  expect(await fixture.messages(device)).toEqual(['device.slow']);
  const { rows } = await sql<{ status: string }>`select data->>'Status' as status from notifications`.execute(
    fixture.kysely,
  );
  expect(rows).toEqual([{ status: 'Up' }]);
  const fastAt = await run(device, slowAt + 60, 'ffffsfffff');
  await fixture.decide(fastAt);
  expect(await types(device)).toEqual(['Up', 'Slow', 'Alert', 'Fast']);
  expect(await fixture.messages(device)).toEqual(['device.slow', 'device.up']);
  expect(await fixture.alerts(device)).toMatchObject([
    { kind: 'device.slow', since_us: startUs + (slowAt + 1) * second, closed_us: expect.any(Number) },
  ]);
  const { warnings } = await fixture.kysely
    .selectFrom('device_state')
    .select('warnings')
    .where('device_no', '=', device)
    .executeTakeFirstOrThrow();
  expect(warnings).toBeNull();
});

test('retries, checks on request, errors and late results say nothing about speed', async () => {
  const device = await fixture.device([place]);
  const slow = { device, agent: place.agentNo, code: 1, isSlow: true };
  await run(device, 4_900, 'f');
  await fixture.take([{ ...slow, at: 5_000 }]);
  await fixture.take([{ ...slow, at: 5_060 }]);
  await fixture.take([{ ...slow, at: 5_070, attempt: 1 }]);
  await fixture.take([{ ...slow, at: 5_080, arrives: 5_300 }]);
  await fixture.take([{ ...slow, at: 5_310, code: 3 }]);
  expect(await types(device)).not.toContain('Slow');
  await fixture.take([{ ...slow, at: 5_360 }]);
  expect(await types(device)).toContain('Slow');
});

test('a certificate is announced once at each number of days; the messages say when it ends', async () => {
  const device = await fixture.device([place]);
  const notAfter = 100_000 + 20 * day;
  const check = (at: number) => fixture.take([{ device, agent: place.agentNo, at, code: 1, notAfter }]);
  await check(100_000);
  await check(100_060);
  await fixture.decide(100_070);
  await check(100_000 + 6 * day);
  await check(100_000 + 6 * day + 60);
  await fixture.decide(100_070 + 6 * day);
  const events = (await fixture.events(device)).filter(({ type }) => type === 'CertificateExpiring');
  expect(events).toHaveLength(2);
  expect(events[0]?.message).toMatch(/^The certificate expires in 19 days, at 20\d\d-/);
  expect(await fixture.messages(device)).toEqual(['certificate.expiring', 'certificate.expiring']);
  const alerts = await fixture.alerts(device);
  expect(alerts).toMatchObject([
    { closed_us: expect.any(Number), opening: { NotAfter: startUs + notAfter * second, DaysLeft: 19 } },
    { closed_us: expect.any(Number), opening: { DaysLeft: 13 } },
  ]);
});

test('a device warns at its own days, else at those of its account; an empty list never warns', async () => {
  const [own, ofAccount, never] = [
    await fixture.device([place]),
    await fixture.device([place]),
    await fixture.device([place]),
  ];
  const setDays = (no: number, days: string) =>
    sql`update devices set expiry_warning_days = ${days} where device_no = ${no}`.execute(fixture.kysely);
  await sql`update accounts set expiry_warning_days = '90,40'`.execute(fixture.kysely);
  await setDays(own, '60');
  await setDays(never, '');
  const notAfter = 200_000 + 50 * day;
  // The first check of a device makes its state; the second one can warn.
  for (const at of [200_000, 200_060])
    for (const device of [own, ofAccount, never])
      await fixture.take([{ device, agent: place.agentNo, at, code: 1, notAfter }]);
  const count = async (device: number) =>
    (await types(device)).filter((type) => type === 'CertificateExpiring').length;
  expect([await count(own), await count(ofAccount), await count(never)]).toEqual([1, 1, 0]);
  const later = 200_000 + 11 * day;
  for (const device of [own, ofAccount, never])
    await fixture.take([{ device, agent: place.agentNo, at: later, code: 1, notAfter }]);
  expect([await count(own), await count(ofAccount), await count(never)]).toEqual([1, 2, 0]);
  await sql`update accounts set expiry_warning_days = null`.execute(fixture.kysely);
});

test('a certificate that is valid for long, and answers that are fast, cost no write', async () => {
  const device = await fixture.device([place]);
  const version = async () =>
    await fixture.kysely
      .selectFrom('device_state')
      .select(['version', 'warnings'])
      .where('device_no', '=', device)
      .executeTakeFirstOrThrow();
  const fine = { device, agent: place.agentNo, code: 1, notAfter: 1e9 };
  await fixture.take([{ ...fine, at: 10_000 }]);
  const before = await version();
  await fixture.take([{ ...fine, at: 10_060 }]);
  expect(await version()).toEqual(before);
});

test('in a maintenance nobody is notified of a slow device before its end', async () => {
  const device = await fixture.device([place]);
  const window = { device_no: device, from_us: startUs + 20_000 * second, to_us: startUs + 21_000 * second };
  await fixture.kysely.insertInto('maintenance_windows').values(window).execute();
  const next = await run(device, 20_010, 'fsss');
  await fixture.decide(next);
  expect(await fixture.messages(device)).toEqual([]);
  await fixture.decide(21_100);
  expect(await fixture.messages(device)).toEqual(['device.slow']);
});

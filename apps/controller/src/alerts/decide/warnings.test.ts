import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { second, startUs } from '../../status/health/testing/scenario.ts';
import { createAlertScene } from './testing/alert-scene.ts';

let scene: Awaited<ReturnType<typeof createAlertScene>>;
let place: { locationNo: number; agentNo: number };
const day = 86_400;

beforeAll(async () => {
  scene = await createAlertScene();
  place = await scene.location('Oslo');
  await scene.everybody();
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Good regular checks, one a minute from here on: `s` is a slow one. Returns when the next one would be. */
async function run(device: number, from: number, speeds: string) {
  for (const [n, speed] of speeds.split('').entries())
    await scene.take([{ device, agent: place.agentNo, at: from + 60 * n, code: 1, isSlow: speed === 's' }]);
  return from + 60 * speeds.length;
}

async function types(device: number) {
  return (await scene.events(device)).map(({ type }) => type);
}

test('three slow checks in a row open device.slow, five fast ones in a row end it', async () => {
  const device = await scene.device([place]);
  const slowAt = await run(device, 1_000, 'ffssfss');
  expect(await types(device)).toEqual(['Up']);
  await run(device, slowAt, 's');
  await scene.decide(slowAt + 5);
  expect(await types(device)).toEqual(['Up', 'Slow', 'Alert']);
  expect(await scene.messages(device)).toEqual(['device.slow']);
  const { rows } = await sql<{ status: string }>`select data->>'Status' as status from notifications`.execute(
    scene.kysely,
  );
  expect(rows).toEqual([{ status: 'Up' }]);
  const fastAt = await run(device, slowAt + 60, 'ffffsfffff');
  await scene.decide(fastAt);
  expect(await types(device)).toEqual(['Up', 'Slow', 'Alert', 'Fast']);
  expect(await scene.messages(device)).toEqual(['device.slow', 'device.up']);
  expect(await scene.alerts(device)).toMatchObject([
    { kind: 'device.slow', since_us: startUs + (slowAt + 1) * second, closed_us: expect.any(Number) },
  ]);
  const { warnings } = await scene.kysely
    .selectFrom('device_state')
    .select('warnings')
    .where('device_no', '=', device)
    .executeTakeFirstOrThrow();
  expect(warnings).toBeNull();
});

test('retries, checks on request, errors and late results say nothing about speed', async () => {
  const device = await scene.device([place]);
  const slow = { device, agent: place.agentNo, code: 1, isSlow: true };
  await run(device, 4_900, 'f');
  await scene.take([{ ...slow, at: 5_000 }]);
  await scene.take([{ ...slow, at: 5_060 }]);
  await scene.take([{ ...slow, at: 5_070, attempt: 1 }]);
  await scene.take([{ ...slow, at: 5_080, arrives: 5_300 }]);
  await scene.take([{ ...slow, at: 5_310, code: 3 }]);
  expect(await types(device)).not.toContain('Slow');
  await scene.take([{ ...slow, at: 5_360 }]);
  expect(await types(device)).toContain('Slow');
});

test('a certificate is announced once at each number of days; the messages say when it ends', async () => {
  const device = await scene.device([place]);
  const notAfter = 100_000 + 20 * day;
  const check = (at: number) => scene.take([{ device, agent: place.agentNo, at, code: 1, notAfter }]);
  await check(100_000);
  await check(100_060);
  await scene.decide(100_070);
  await check(100_000 + 6 * day);
  await check(100_000 + 6 * day + 60);
  await scene.decide(100_070 + 6 * day);
  const events = (await scene.events(device)).filter(({ type }) => type === 'CertificateExpiring');
  expect(events).toHaveLength(2);
  expect(events[0]?.message).toMatch(/^The certificate expires in 19 days, at 20\d\d-/);
  expect(await scene.messages(device)).toEqual(['certificate.expiring', 'certificate.expiring']);
  const alerts = await scene.alerts(device);
  expect(alerts).toMatchObject([
    { closed_us: expect.any(Number), opening: { NotAfter: startUs + notAfter * second, DaysLeft: 19 } },
    { closed_us: expect.any(Number), opening: { DaysLeft: 13 } },
  ]);
});

test('a certificate that is valid for long, and answers that are fast, cost no write', async () => {
  const device = await scene.device([place]);
  const version = async () =>
    await scene.kysely
      .selectFrom('device_state')
      .select(['version', 'warnings'])
      .where('device_no', '=', device)
      .executeTakeFirstOrThrow();
  const fine = { device, agent: place.agentNo, code: 1, notAfter: 1e9 };
  await scene.take([{ ...fine, at: 10_000 }]);
  const before = await version();
  await scene.take([{ ...fine, at: 10_060 }]);
  expect(await version()).toEqual(before);
});

test('in a maintenance nobody is notified of a slow device before its end', async () => {
  const device = await scene.device([place]);
  const window = { device_no: device, from_us: startUs + 20_000 * second, to_us: startUs + 21_000 * second };
  await scene.kysely.insertInto('maintenance_windows').values(window).execute();
  const next = await run(device, 20_010, 'fsss');
  await scene.decide(next);
  expect(await scene.messages(device)).toEqual([]);
  await scene.decide(21_100);
  expect(await scene.messages(device)).toEqual(['device.slow']);
});

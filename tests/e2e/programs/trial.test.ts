// Settings are checked once by a real agent before they are stored, and nothing of them stays.

import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTarget, type Target } from '../../harness/target.ts';
import { system } from './system.ts';

let target: Target;
beforeAll(async () => {
  target = await startTarget();
});
afterAll(() => target?.[Symbol.asyncDispose]());

const fault = z.object({ code: z.number(), errors: z.array(z.object({ field: z.string() })).optional() });
const tcp = () => ({ Method: 'TCP', URL: `127.0.0.1:${target.port}`, Timeout: 5 });

/** Rows of the database that a trial could leave. */
async function leftOver() {
  return withClient(system.quickstart().database_url, async (client) => {
    const { rows } = await client.query<Record<string, number>>(
      `select (select count(*)::int from devices) as devices, (select count(*)::int from checks) as checks,
        (select count(*)::int from trials) as trials, (select count(*)::int from quarantined) as quarantined,
        (select count(*)::int from run_requests) as "runRequests"`,
    );
    return rows[0];
  });
}

test('a trial answers with the record of a check, good or bad, and stores nothing', async () => {
  const good = await system.api.ok('POST', '/checks/trial', { ...tcp(), Location: 'local' });
  expect(good).toMatchObject({
    check_id: null,
    Location: 'local',
    ResultCode: 1,
    PerfStat: 'Ok',
    Extended: { Address: `127.0.0.1:${target.port}` },
  });
  const bad = { ...tcp(), Options: { Steps: [{ Expect: 'never said' }] }, Timeout: 1 };
  expect(await system.api.ok('POST', '/checks/trial', bad)).toMatchObject({
    check_id: null,
    PerfStat: 'Error',
  });
  const closed = { Method: 'HTTP', URL: 'http://127.0.0.1:1/' };
  expect(await system.api.ok('POST', '/checks/trial', closed)).toMatchObject({ ResultCode: 3 });
  await expect
    .poll(leftOver, { timeout: 60_000 })
    .toEqual({ devices: 0, checks: 0, trials: 0, quarantined: 0, runRequests: 0 });
});

test('a trial uses the secrets of the account, as a device would', async () => {
  await system.api.ok('POST', '/secrets', { Name: 'greeting', Value: '220 ready' });
  const Steps = [{ Expect: `$${'{secret:greeting}'}` }];
  const answer = await system.api.ok('POST', '/checks/trial', { ...tcp(), Options: { Steps } });
  expect(answer).toMatchObject({ ResultCode: 1 });
  const unknown = { ...tcp(), Options: { Steps: [{ Expect: `$${'{secret:unknown}'}` }] } };
  expect((await system.api.call('POST', '/checks/trial', unknown)).status).toBe(400);
});

test('faults are named as for a new device; the Timeout is 30 s at the most', async () => {
  const refused = async (body: object) => {
    const { status, text } = await system.api.call('POST', '/checks/trial', body);
    const { code, errors = [] } = fault.parse(JSON.parse(text));
    return [status, code, ...errors.map(({ field }) => field).sort()];
  };
  expect(await refused({ ...tcp(), Timeout: 31 })).toEqual([400, 1004, 'Timeout']);
  expect(await refused({ ...tcp(), Location: 'nowhere' })).toEqual([400, 1004, 'Location']);
  expect(await refused({ Method: 'X', Options: { No: 1 } })).toEqual([400, 1004, 'Method', 'URL']);
  expect(await refused({ ...tcp(), Options: { No: 1 } })).toEqual([400, 1004, 'Options.No']);
  expect(await refused({ Method: 'HTTP', URL: 'https://me:***@example.org/' })).toEqual([400, 1004, 'URL']);
});

test('an account has four trials at one time; a Location without an agent tries nothing', async () => {
  target.manner = 'silent';
  const slow = { ...tcp(), Options: { Steps: [{ Expect: 'x' }] }, Timeout: 3 };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => system.api.call('POST', '/checks/trial', slow)),
  );
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 200, 200, 400, 400]);
  target.manner = 'ok';
  await system.api.ok('POST', '/locations', { Name: 'empty' });
  const nobody = await system.api.call('POST', '/checks/trial', { ...tcp(), Location: 'empty' });
  expect([nobody.status, fault.parse(JSON.parse(nobody.text)).code]).toEqual([400, 1005]);
  expect(await leftOver()).toMatchObject({ devices: 0, trials: 0, checks: 0 });
});

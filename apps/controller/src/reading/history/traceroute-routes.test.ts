import { checkId } from '@vantage/domain';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Reply } from '../../testing/http-client.ts';
import { type OneAccount, startOneAccount } from '../../testing/one-account.ts';
import { addChecks } from '../../testing/sample-account.ts';
import type { CheckNowResult } from './check-routes.ts';

const soon = { timeout: 60_000, interval: 20 };
let one: OneAccount;
let agentNo: number;
let nowResult: CheckNowResult;
const asked: (boolean | undefined)[] = [];

beforeAll(async () => {
  one = await startOneAccount({
    checkNow: async (_deviceNo, _signal, traceroute) => {
      asked.push(traceroute);
      return nowResult;
    },
  });
  await sql`create table checks_all partition of check_rows default`.execute(one.rest.db.kysely);
  const { accountNo, locationNo } = one;
  ({ agentNo } = await createFixtures(one.rest.db.kysely).agent({ accountNo, locationNo }, { name: 'edge' }));
});
afterAll(() => one[Symbol.asyncDispose]());

/** A device with one good check on request at this address; `traceroute`: what its agent sent after it. */
async function requested(ShortName: string, address: string, traceroute?: unknown) {
  const id = await one.create('/devices', { Method: 'TCP', URL: `${ShortName}.example:80`, ShortName });
  const { db, clock } = one.rest;
  const { device_no: deviceNo } = await db.kysely
    .selectFrom('devices')
    .select('device_no')
    .where('device_id', '=', id)
    .executeTakeFirstOrThrow();
  const startUs = clock.nowUs();
  await addChecks(one.rest, { deviceNo, agentNo, locationNo: one.locationNo }, [startUs]);
  const extended = {
    Address: `${address}:80`,
    ...(traceroute === undefined ? {} : { Traceroute: traceroute }),
  };
  await db.kysely
    .updateTable('check_rows')
    .set({ extended: JSON.stringify(extended), run_request_id: 'requested' })
    .where('device_no', '=', deviceNo)
    .execute();
  nowResult = { kind: 'done', checkId: checkId({ deviceNo, startUs, agentNo }) };
  return { id, deviceNo, checkId: nowResult.checkId };
}

const trace = (id: string) => one.send('POST', `/devices/${id}/traceroute`);
const hop = (TTL: number, Address: string | null, Text?: string) => ({
  TTL,
  Address,
  RTTMs: Address === null ? null : 0.5,
  ...(Text === undefined ? {} : { Text }),
});

test('the path to a good device is answered with its check, and its router is suggested as the master', async () => {
  const gw = await requested('gw', '10.0.0.1');
  const Hops = [hop(1, '10.0.0.1'), hop(2, null), hop(3, '10.0.0.7', 'connected')];
  const web = await requested('web', '10.0.0.7', { Reached: true, Hops });
  expect((await trace(web.id)).json).toEqual({
    check_id: web.checkId,
    device_id: web.id,
    Location: 'local',
    Agent: 'edge',
    Timestamp: expect.any(String),
    CheckResult: 'connected',
    Reached: true,
    Hops: [{ ...hop(1, '10.0.0.1'), Text: null }, { ...hop(2, null), Text: null }, Hops[2]],
    SuggestedMaster: gw.id,
  });
  expect(asked.at(-1)).toBe(true);
  expect((await one.send('GET', `/devices/${web.id}/suggested-master`)).json).toEqual({
    SuggestedMaster: gw.id,
    ShortName: 'gw',
    Address: '10.0.0.1',
    Traceroutes: 1,
    Complete: false,
    Reason: null,
  });
  expect((await one.send('GET', `/checks/${web.checkId}/extended`)).json).toMatchObject({
    Extended: { Traceroute: { Reached: true, Hops } },
  });
});

test.each<[what: string, traceroute: unknown, message: RegExp]>([
  [
    'a policy that forbids the address',
    { NotPossible: "10.0.0.8 is not allowed by this agent's policy" },
    /^agent edge of Location local did not trace the path: 10\.0\.0\.8 is not allowed by this agent's policy$/,
  ],
  [
    'no right to ping',
    { NotPossible: 'needs CAP_NET_RAW\n\u202e' },
    /did not trace the path: needs CAP_NET_RAW[^\n\u202e]*$/,
  ],
  ['a text that is no traceroute', { Hops: 'all' }, /sent a traceroute that is not readable$/],
])('%s is a conflict with its reason', async (_what, traceroute, message) => {
  const device = await requested('dev', '10.0.0.8', traceroute);
  expect((await trace(device.id)).json).toEqual({
    code: 1005,
    reason: 'no_answer',
    message: expect.stringMatching(message),
  });
});

test('the traceroutes that are kept are listed, newest first, without those that were not possible', async () => {
  const Hops = [hop(1, '10.0.0.1'), hop(2, '10.0.0.30', 'connected')];
  const web = await requested('listed', '10.0.0.30', { Reached: true, Hops });
  const way = {
    check_id: web.checkId,
    Location: 'local',
    Agent: 'edge',
    Timestamp: expect.any(String),
    CheckResult: 'connected',
    Reached: true,
    Hops: [{ ...Hops[0], Text: null }, Hops[1]],
  };
  const list = (id: string, query = '') => one.send('GET', `/devices/${id}/traceroutes${query}`);
  expect((await list(web.id)).json).toEqual([way]);
  const none = await requested('refused', '10.0.0.31', { NotPossible: 'no right to ping' });
  expect((await list(none.id)).json).toEqual([]);
  expect((await list(web.id, '?Limit=0')).json).toMatchObject({ code: 1004, errors: [{ field: 'Limit' }] });
  expect((await list('0'.repeat(48))).json).toMatchObject({ code: 1003 });
});

test('no more than 64 hops are shown', async () => {
  const Hops = Array.from({ length: 500 }, (_, i) => hop(i + 1, '10.0.0.1'));
  const device = await requested('far', '10.0.0.20', { Reached: false, Hops });
  expect((await trace(device.id)).json).toHaveProperty('Hops.length', 64);
});

test('an address or text of a hop that an agent made up is shown cleaned', async () => {
  const Hops = [hop(1, '<b>'), hop(2, '2001:db8::1', 'a\nb')];
  const device = await requested('made', '10.0.0.9', { Reached: false, Hops });
  expect((await trace(device.id)).json).toMatchObject({
    Reached: false,
    Hops: [{ Address: null }, { Address: '2001:db8::1', Text: expect.not.stringContaining('\n') }],
  });
});

test('nobody who could trace is a conflict', async () => {
  const device = await requested('lone', '10.0.0.10');
  nowResult = { kind: 'noAgent', message: 'no agent is there' };
  expect((await trace(device.id)).json).toEqual({
    code: 1005,
    reason: 'no_answer',
    message: 'no agent is there',
  });
});

/**
 * Asks for a traceroute, and resolves with its answer once `meanwhile` is done. The clock moves slowly, so that the
 * database is not held to be away.
 */
async function awaited(id: string, meanwhile: () => Promise<unknown>): Promise<unknown> {
  const before = asked.length;
  let reply: Reply | undefined;
  const asking = trace(id).then((one) => {
    reply = one;
  });
  await vi.waitFor(() => expect(asked.length).toBe(before + 1), soon);
  await meanwhile();
  await vi.waitFor(async () => {
    await one.rest.clock.advance(10);
    expect(reply).toBeDefined();
  }, soon);
  await asking;
  return reply?.json;
}

test('a traceroute that comes after its check is awaited, for twenty seconds', async () => {
  const { clock, db } = one.rest;
  const device = await requested('late', '10.0.0.11');
  expect(await awaited(device.id, async () => clock.stepWall(20_000))).toEqual({
    code: 1005,
    reason: 'no_answer',
    message: 'agent edge of Location local checked the device, but its traceroute did not come in time',
  });
  const late = JSON.stringify({ Traceroute: { Reached: true, Hops: [hop(1, '10.0.0.11', 'connected')] } });
  const arrives = sql`update check_rows set extended = extended || ${late}::jsonb where device_no = ${device.deviceNo}`;
  expect(await awaited(device.id, () => arrives.execute(db.kysely))).toMatchObject({
    Reached: true,
    Hops: [{ Address: '10.0.0.11' }],
  });
});

test('a device that is deleted meanwhile is missing', async () => {
  const device = await requested('gone', '10.0.0.12');
  nowResult = { kind: 'done', checkId: checkId({ deviceNo: device.deviceNo, startUs: 5, agentNo }) };
  expect((await trace(device.id)).json).toMatchObject({ code: 1503 });
  const deleted = await requested('deleted', '10.0.0.13');
  await one.rest.db.kysely.deleteFrom('check_rows').where('device_no', '=', deleted.deviceNo).execute();
  await one.send('DELETE', `/devices/${deleted.id}`);
  expect((await trace(deleted.id)).json).toMatchObject({ code: 1003 });
});

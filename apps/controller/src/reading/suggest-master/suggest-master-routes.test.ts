import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OneAccount, startOneAccount } from '../../testing/one-account.ts';
import { addChecks } from '../../testing/sample-account.ts';

let one: OneAccount;
let agentNo: number;

beforeAll(async () => {
  one = await startOneAccount();
  await sql`create table checks_all partition of check_rows default`.execute(one.rest.db.kysely);
  const { accountNo, locationNo } = one;
  ({ agentNo } = await createFixtures(one.rest.db.kysely).agent({ accountNo, locationNo }));
});
afterAll(() => one[Symbol.asyncDispose]());

/** A device with one check of this moment that used this address; `hops`: it failed, and this is its traceroute. */
async function device(ShortName: string, address: string, hops?: readonly (string | null)[]) {
  const id = await one.create('/devices', { Method: 'TCP', URL: `${ShortName}.example:80`, ShortName });
  const { db, clock } = one.rest;
  const { device_no: deviceNo } = await db.kysely
    .selectFrom('devices')
    .select('device_no')
    .where('device_id', '=', id)
    .executeTakeFirstOrThrow();
  await addChecks(one.rest, { deviceNo, agentNo, locationNo: one.locationNo }, [clock.nowUs()]);
  const Hops = hops?.map((Address, place) => ({ TTL: place + 1, Address, RTTMs: 1 }));
  const extended = {
    Address: `${address}:80`,
    ...(Hops && { Traceroute: { Reached: hops?.at(-1) === address, Hops } }),
  };
  await db.kysely
    .updateTable('check_rows')
    .set({ extended: JSON.stringify(extended), code: hops === undefined ? 1 : 2 })
    .where('device_no', '=', deviceNo)
    .execute();
  return id;
}

const suggestion = async (id: string) => (await one.send('GET', `/devices/${id}/suggested-master`)).json;

test('the nearest router that is a device is suggested, one PUT sets it, and a device behind it gets no circle', async () => {
  const [core, edge] = [await device('core', '10.0.0.1'), await device('edge', '10.0.1.1')];
  const web = await device('web', '10.0.1.5', ['10.0.0.1', null, '10.0.1.1', '10.0.1.5']);
  expect(await suggestion(web)).toEqual({
    SuggestedMaster: edge,
    ShortName: 'edge',
    Address: '10.0.1.1',
    Traceroutes: 1,
    Complete: true,
    Reason: null,
  });
  const { json } = await one.send('PUT', `/devices/${web}`, { device_master_id: edge });
  expect(json).toMatchObject({ device_master_id: edge });
  // The way to the router itself leads past a device that is behind it.
  const loop = await device('loop', '10.0.1.9', ['10.0.0.1', '10.0.1.5']);
  await one.send('PUT', `/devices/${web}`, { device_master_id: loop });
  expect(await suggestion(loop)).toMatchObject({ SuggestedMaster: core, Address: '10.0.0.1' });
});

test('a traceroute to an earlier target says nothing', async () => {
  const edge = await device('edge2', '10.0.3.1');
  const moved = await device('moved', '10.0.3.5', ['10.0.3.1', '10.0.3.5']);
  expect(await suggestion(moved)).toMatchObject({ SuggestedMaster: edge });
  await one.rest.clock.advance(1_000);
  await one.send('PUT', `/devices/${moved}`, { FullName: 'Moved' });
  expect(await suggestion(moved)).toMatchObject({ SuggestedMaster: edge });
  await one.send('PUT', `/devices/${moved}`, { URL: 'moved.example:81' });
  expect(await suggestion(moved)).toMatchObject({ SuggestedMaster: null, Traceroutes: 0 });
});

test('without a traceroute, and of another account, nothing is suggested', async () => {
  const plain = await device('plain', '10.0.2.1');
  expect(await suggestion(plain)).toEqual({
    SuggestedMaster: null,
    ShortName: null,
    Address: null,
    Traceroutes: 0,
    Complete: false,
    Reason: 'no check of the last 30 days has a traceroute',
  });
  const stranger = await one.rest.account('stranger');
  const { key } = await one.rest.key(stranger.accountNo, 'UR');
  const reply = await one.send('GET', `/devices/${plain}/suggested-master`, undefined, { key });
  expect(reply.json).toMatchObject({ code: 1003 });
});

import { checkId, secondUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../results/events/record-events.ts';
import { createRestHealth } from '../../results/status/index.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { createSampleAccount, type SampleAccount } from '../../testing/sample-account.ts';

const row = z.object({
  device_id: z.string(),
  ShortName: z.string(),
  FullName: z.string().nullable(),
  Uptime: z.record(z.string(), z.number().nullable()),
});

describe('uptime', () => {
  let rest: RestFixture;
  let key: string;
  let sample: SampleAccount;
  let foreign: SampleAccount;
  const devices: string[] = [];
  /** A whole second, one hour before the clock's time. */
  let fromUs = 0;

  beforeAll(async () => {
    rest = await createRestFixture({
      health: (_, clock) => createRestHealth({ recordEvents, clock }),
    });
    const account = await rest.account('one');
    const other = await rest.account('other');
    ({ key } = await rest.key(account.accountNo, 'UW'));
    sample = await createSampleAccount(rest, account, key);
    foreign = await createSampleAccount(rest, other, (await rest.key(other.accountNo, 'UW')).key);
    fromUs = rest.clock.nowUs() - 3_600 * secondUs;
    fromUs -= fromUs % secondUs;
    devices.push(sample.ids['device_id'] ?? '');
    for (const ShortName of ['two', 'three', 'four'])
      devices.push(
        z
          .object({ device_id: z.string() })
          .parse((await send('POST', '/devices', { Method: 'TCP', URL: 'a.example:1', ShortName })).json)
          .device_id,
      );
    // The first device was Up for three quarters of the hour and Down for one, seen by its agent all the time.
    await sql`update devices set created_us = ${fromUs}::bigint where device_id <> ${devices[3] ?? ''}`.execute(
      rest.db.kysely,
    );
    const no = sample.deviceNo;
    await sql`insert into status_intervals values (${no}, ${fromUs}, 'Up'), (${no}, ${fromUs + 2_700 * secondUs}, 'Down')
      on conflict (device_no, from_us) do update set status = excluded.status`.execute(rest.db.kysely);
    await sql`insert into assignment_spans (device_no, agent_no, location_no, from_us, rotation_index, rotation_size, retries_locally, run_immediately)
      values (${no}, ${sample.agentNo}, ${account.locationNo}, ${fromUs}, 0, 1, false, false)`.execute(
      rest.db.kysely,
    );
    await sql`insert into coverage values (${sample.agentNo}, ${fromUs}, ${rest.clock.nowUs()})`.execute(
      rest.db.kysely,
    );
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const send = (method: string, path: string, body?: object) =>
    rest.send(method, path, body === undefined ? { key } : { key, body });
  const list = async (query: string) => z.array(row).parse((await send('GET', `/uptime?${query}`)).json);
  const code = async (query: string) =>
    z.object({ code: z.int() }).parse((await send('GET', `/uptime?${query}`)).json).code;
  const hour = () => `Timestamp1=${iso(fromUs)}&Timestamp2=${iso(fromUs + 3_600 * secondUs)}`;
  const iso = (us: number) => `${new Date(us / 1000).toISOString().slice(0, 19)}Z`;

  it('has the percentage of the contract, and null where nothing was observed', async () => {
    const one = await send('GET', `/devices/${devices[0]}/uptime?${hour()}`);
    expect(one.json).toEqual({
      Uptime: {
        UpSeconds: 2_700,
        DownSeconds: 900,
        MaintenanceSeconds: 0,
        UnknownSeconds: 0,
        Outages: 1,
        Percent: 75,
        ExcludedSeconds: 0,
        ExcludedOutages: 0,
      },
    });
    const two = await send('GET', `/devices/${devices[1]}/uptime?${hour()}`);
    expect(two.json).toMatchObject({ Uptime: { UnknownSeconds: 3_600, Percent: null } });
    const third = iso(fromUs + 2_701 * secondUs);
    const part = await send(
      'GET',
      `/devices/${devices[0]}/uptime?Timestamp1=${iso(fromUs)}&Timestamp2=${third}`,
    );
    expect(part.json).toMatchObject({ Uptime: { DownSeconds: 1, Percent: 99.962977 } });
  });

  it('leaves an excluded outage out, and says so', async () => {
    const startUs = fromUs + 2_700 * secondUs;
    const outage = `/outages/${checkId({ deviceNo: sample.deviceNo, startUs, agentNo: 0 })}`;
    await send('PUT', outage, { Excluded: true });
    const shown = async () => (await send('GET', `/devices/${devices[0]}/uptime?${hour()}`)).json;
    expect(await shown()).toMatchObject({
      Uptime: {
        UpSeconds: 2_700,
        DownSeconds: 0,
        ExcludedSeconds: 900,
        Outages: 0,
        ExcludedOutages: 1,
        Percent: 100,
      },
    });
    await send('PUT', outage, { Excluded: false });
    expect(await shown()).toMatchObject({ Uptime: { DownSeconds: 900, ExcludedSeconds: 0, Outages: 1 } });
  });

  it('of many devices is the same as of each alone', async () => {
    const rows = await list(hour());
    expect(rows.map(({ device_id, ShortName }) => [device_id, ShortName])).toEqual(
      devices.map((id, at) => [id, ['dev', 'two', 'three', 'four'][at]]),
    );
    for (const { device_id, Uptime } of rows)
      expect((await send('GET', `/devices/${device_id}/uptime?${hour()}`)).json).toEqual({ Uptime });
    const csv = await send('GET', `/uptime?${hour()}&fmt=csv&Limit=1`);
    expect(csv.text.split('\r\n')[0]).toBe(
      'device_id,ShortName,FullName,Uptime.UpSeconds,Uptime.DownSeconds,Uptime.MaintenanceSeconds,Uptime.UnknownSeconds,Uptime.Outages,Uptime.Percent,Uptime.ExcludedSeconds,Uptime.ExcludedOutages',
    );
  });

  it("begins at each device's creation without a Timestamp1", async () => {
    const rows = await list(`Timestamp2=${iso(fromUs + 1_800 * secondUs)}`);
    const sums = rows.map(({ Uptime }) => (Uptime['UpSeconds'] ?? 0) + (Uptime['UnknownSeconds'] ?? 0));
    // The fourth one was created later.
    expect(sums).toEqual([1_800, 1_800, 1_800, 0]);
  });

  it('is paged, narrowed to devices and to a tag', async () => {
    const { tag_id } = z
      .object({ tag_id: z.string() })
      .parse((await send('POST', '/tags', { Name: 'shop' })).json);
    for (const id of [devices[1], devices[3]]) await send('PUT', `/tags/${tag_id}/devices/${id}`);
    const ids = async (query: string) => (await list(query)).map(({ device_id }) => device_id);
    expect(await ids('Tag=shop')).toEqual([devices[1], devices[3]]);
    expect(await ids(`Tag=${tag_id}&Devices=${devices[3]},${devices[0]}`)).toEqual([devices[3]]);
    expect(await ids(`Devices=${devices[2]},${devices[0]}`)).toEqual([devices[0], devices[2]]);
    const first = await send('GET', '/uptime?Limit=3');
    expect(first.headers.get('x-total-count')).toBe('4');
    expect(first.headers.get('link')).toBe(`</v1.1/uptime?Limit=3&After=${devices[2]}>; rel="next"`);
    expect(await ids(`Limit=3&After=${devices[2]}`)).toEqual([devices[3]]);
    expect(await ids('Limit=2&Offset=1')).toEqual([devices[1], devices[2]]);
    for (const [query, expected] of [
      [`Devices=${foreign.ids['device_id']}`, 1003],
      [`Devices=${newId()}`, 1003],
      [`After=${foreign.ids['device_id']}`, 1003],
      [`After=${devices[0]}&Offset=1`, 1004],
      ['Tag=nothing', 1003],
      [`Tag=${foreign.ids['tag_id']}`, 1003],
      [`Timestamp1=${iso(fromUs + secondUs)}&Timestamp2=${iso(fromUs)}`, 1004],
    ] as const)
      expect([query, await code(query)]).toEqual([query, expected]);
  });
  it('pages on after a device that was deleted meanwhile, as the list of devices does', async () => {
    const ids = async (path: string) =>
      z
        .array(z.looseObject({ device_id: z.string() }))
        .parse((await send('GET', path)).json)
        .map(({ device_id }) => device_id);
    const gone = devices[1];
    expect((await send('DELETE', `/devices/${gone}`)).status).toBe(200);
    expect(await ids(`/uptime?After=${gone}`)).toEqual(devices.slice(2));
    expect(await ids(`/devices?After=${gone}`)).toEqual(devices.slice(2));
    expect(await code(`Devices=${gone}`)).toBe(1003);
  });
});

import { newId } from '@vantage/kernel';
import { XMLParser } from 'fast-xml-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../results/events/record-events.ts';
import { createRestHealth } from '../../results/status/index.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

describe('tags', () => {
  let rest: RestFixture;
  let key: string;
  beforeAll(async () => {
    rest = await createRestFixture({
      health: (_, clock) => createRestHealth({ recordEvents, clock }),
    });
    const { accountNo } = await rest.account('one');
    ({ key } = await rest.key(accountNo, 'UW'));
  });
  afterAll(() => rest[Symbol.asyncDispose]());
  const send = (method: string, path: string, body?: object) =>
    rest.send(method, path, body === undefined ? { key } : { key, body });
  const made = async (path: string, body: object) =>
    Object.values(z.record(z.string(), z.string()).parse((await send('POST', path, body)).json))[0] ?? '';
  const device = (ShortName: string) => made('/devices', { Method: 'TCP', URL: 'a.example:1', ShortName });

  it('are created, renamed, attached, read with their devices, detached and deleted', async () => {
    const tag_id = await made('/tags', { Name: 'web' });
    const device_id = await device('one');
    for (const _ of [1, 2])
      expect((await send('PUT', `/tags/${tag_id}/devices/${device_id}`)).json).toEqual({ tag_id, device_id });
    expect((await send('PUT', `/tags/${tag_id}`, { Name: 'Web', tag_id, Devices: [] })).json).toMatchObject({
      tag_id,
      Name: 'Web',
      Devices: [{ device_id, ShortName: 'one', Status: 'Unknown' }],
    });
    expect((await send('GET', `/devices/${device_id}`)).json).toMatchObject({
      Tags: [{ tag_id, Name: 'Web' }],
    });
    expect((await send('GET', `/devices?Filter=${tag_id}`)).json).toMatchObject([{ device_id }]);
    for (const _ of [1, 2])
      expect((await send('DELETE', `/tags/${tag_id}/devices/${device_id}`)).json).toEqual({
        tag_id,
        device_id,
      });
    expect((await send('GET', `/tags/${tag_id}`)).json).toEqual({
      tag_id,
      Name: 'Web',
      ExternalKey: null,
      Source: null,
      Devices: [],
      CreatedAt: expect.any(String),
      UpdatedAt: expect.any(String),
    });
    expect((await send('DELETE', `/tags/${tag_id}`)).json).toEqual({ tag_id });
    expect((await send('GET', `/tags/${tag_id}`)).json).toEqual({
      code: 1003,
      message: 'No such tag.',
      reason: 'no_such_tag',
    });
    expect((await send('PUT', `/tags/${newId()}/devices/${device_id}`)).json).toMatchObject({ code: 1003 });
  });

  it('come all at once without a Limit, in the form asked for, as a file', async () => {
    for (let i = 0; i < 30; i += 1) await made('/tags', { Name: `=tag ${String(i).padStart(2, '0')}` });
    expect((await send('GET', '/tags')).json).toHaveLength(30);
    expect((await send('GET', '/tags?Limit=7&Offset=28')).json).toHaveLength(2);
    expect((await send('GET', '/agents?fmt=csv')).text).toMatch(/,Lateness\.p50,Lateness\.p99,/);
    const csv = await send('GET', '/tags?fmt=csv&filename=t%C3%A4gs%0d%0aX:1.csv');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.headers.get('content-disposition')).toBe(
      `attachment; filename="t_gsX:1.csv"; filename*=UTF-8''t%C3%A4gsX%3A1.csv`,
    );
    expect(csv.text.split('\r\n')[0]).toBe('tag_id,Name,ExternalKey,Source,CreatedAt,UpdatedAt');
    expect(csv.text.split('\r\n')[1]).toMatch(/^[0-9a-f]{48},'=tag 00,,,2\d{3}-[^,]+,2\d{3}-[^,]+$/);
    const xml = await send('GET', '/tags?fmt=xml&Limit=2');
    expect(xml.headers.get('content-type')).toContain('application/xml');
    expect(new XMLParser().parse(xml.text).tags.tag).toHaveLength(2);
    const bad = await send('GET', '/tags?fmt=xml&Limit=x');
    expect(bad.json).toMatchObject({ code: 1004 });
  });

  it('put their devices of the moment under maintenance, as a device itself can be', async () => {
    const tag_id = await made('/tags', { Name: 'racks' });
    const [a, b] = [await device('a'), await device('b')];
    for (const id of [a, b]) await send('PUT', `/tags/${tag_id}/devices/${id}`);
    const statuses = async () =>
      z
        .array(z.object({ Status: z.string() }))
        .parse((await send('GET', `/devices?Filter=${tag_id}`)).json)
        .map(({ Status }) => Status);
    expect((await send('PUT', `/tags/${tag_id}/start-maintenance`, { Duration: '00:10' })).status).toBe(200);
    expect(await statuses()).toEqual(['Maint', 'Maint']);
    expect((await send('GET', '/devices?Filter=Maint')).headers.get('x-total-count')).toBe('2');
    await rest.clock.advance(60_000);
    expect((await send('PUT', `/devices/${a}/stop-maintenance`)).json).toMatchObject({ Status: 'Unknown' });
    expect(await statuses()).toEqual(['Unknown', 'Maint']);
    await rest.clock.advance(60_000);
    expect((await send('GET', `/devices/${a}/uptime`)).json).toEqual({
      Uptime: {
        UpSeconds: 0,
        DownSeconds: 0,
        MaintenanceSeconds: 60,
        UnknownSeconds: 60,
        Outages: 0,
        Percent: null,
        ExcludedSeconds: 0,
        ExcludedOutages: 0,
      },
    });
    expect((await send('PUT', `/tags/${tag_id}/stop-maintenance`)).status).toBe(200);
    expect(await statuses()).toEqual(['Unknown', 'Unknown']);
    expect((await send('PUT', `/devices/${a}/start-maintenance`)).json).toMatchObject({ Status: 'Maint' });
    expect((await send('PUT', `/devices/${a}/start-maintenance`, { Duration: null })).json).toMatchObject({
      Status: 'Maint',
    });
    for (const Duration of ['00:00', '24:60', '1:00', '100:00', 60])
      expect((await send('PUT', `/devices/${a}/start-maintenance`, { Duration })).json).toMatchObject({
        code: 1004,
      });
  });
});

import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../results/events/record-events.ts';
import { createRestHealth } from '../../results/status/index.ts';
import { type AccountApi, addAccount } from '../../testing/one-account.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { addScopedAccount } from '../../testing/scoped-account.ts';
import { change as changeBy, outcome, preview as previewOf } from './testing/bulk-change.ts';

let rest: RestFixture;
let one: AccountApi;
let accounts = 0;
beforeAll(async () => {
  rest = await createRestFixture({
    health: (_, clock) => createRestHealth({ clock, recordEvents }),
  });
});
afterAll(() => rest[Symbol.asyncDispose]());
beforeEach(async () => {
  accounts += 1;
  one = await addAccount(rest, `changes ${accounts}`);
});

const target = { Method: 'TCP', URL: 'example.org:9' };
const device = (ShortName: string, more: object = {}) =>
  one.create('/devices', { ...target, ShortName, ...more });
const read = async (id: string) =>
  z.record(z.string(), z.unknown()).parse((await one.send('GET', `/devices/${id}`)).json);
const preview = (body: object) => previewOf(one, body);
const change = (body: object) => changeBy(one, body);

test('a preview changes nothing; the same body with its Token does it, and a repetition answers the same', async () => {
  await one.create('/tags', { Name: 'lab' });
  const ids = [await device('a', { Tags: ['lab'] }), await device('b', { Tags: ['lab'], Severity: 'info' })];
  const other = await device('c');
  const body = { Filter: { Tag: 'lab' }, Set: { Severity: 'info', Timeout: 7 } };
  const before = await Promise.all(ids.map(read));
  const previewed = await preview({ ...body, Preview: true });
  expect(previewed).toMatchObject({ Matched: 2, Changed: 2, Refused: [], Done: false });
  expect(await Promise.all(ids.map(read))).toEqual(before);
  const send = () => one.send('POST', '/devices/change', { ...body, Token: previewed.Token });
  const done = await send();
  expect(done.json).toEqual({ ...previewed, Done: true });
  for (const id of ids) expect(await read(id)).toMatchObject({ Severity: 'info', Timeout: 7 });
  expect(await read(other)).toMatchObject({ Severity: 'critical', Timeout: 30 });
  expect((await send()).json).toEqual(done.json);
  expect((await one.send('GET', `/device-changes/${previewed.Token}`)).json).toEqual(done.json);
  const entries = z
    .array(z.object({ Kind: z.string(), Id: z.string(), Changes: z.array(z.unknown()) }))
    .parse((await one.send('GET', '/audit?Kind=devices')).json);
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({ Id: previewed.Token });
  expect(entries[0]?.Changes).toEqual([
    { Field: 'Devices', Old: null, New: 2 },
    { Field: 'Filter', Old: null, New: { Tag: 'lab' } },
    { Field: 'Set', Old: null, New: { Timeout: 7, Severity: 'info' } },
  ]);
});

describe('a Token', () => {
  test('of a set that has changed is 1005, and nothing is changed', async () => {
    const id = await device('a');
    const body = { Filter: { Severity: 'critical' }, Set: { Severity: 'info' } };
    const { Token } = await preview(body);
    await device('b');
    const refused = await one.send('POST', '/devices/change', { ...body, Token });
    expect(refused.json).toMatchObject({ code: 1005 });
    expect(await read(id)).toMatchObject({ Severity: 'critical' });
  });

  test('holds for its body and its key only', async () => {
    await device('a');
    const body = { Filter: {}, Set: { Timeout: 5 } };
    const { Token } = await preview(body);
    const other = await one.send('POST', '/devices/change', { Filter: {}, Set: { Timeout: 6 }, Token });
    expect(other.json).toMatchObject({ code: 1004, errors: [{ field: 'Token' }] });
    const { key } = await rest.key(one.accountNo, 'UW');
    const foreign = await one.send('POST', '/devices/change', { ...body, Token }, { key });
    expect(foreign.json).toMatchObject({ code: 1004, errors: [{ field: 'Token' }] });
    expect((await one.send('GET', `/device-changes/${Token}`, undefined, { key })).json).toMatchObject({
      Token,
    });
    const direct = await one.send('POST', '/devices/change', { ...body, Preview: false });
    expect(direct.json).toMatchObject({ code: 1004, errors: [{ field: 'Token' }] });
  });

  test('is kept for an hour, and the newest twenty of an account', async () => {
    await device('a');
    const body = { Filter: {}, Set: { Timeout: 5 } };
    const { Token } = await preview(body);
    await rest.clock.advance(1);
    const isKept = async () => (await one.send('GET', `/device-changes/${Token}`)).status === 200;
    for (let i = 0; i < 19; i += 1) await preview(body);
    expect(await isKept()).toBe(true);
    const last = await preview(body);
    expect(await isKept()).toBe(false);
    await rest.clock.advance(3_600_001);
    const late = await one.send('POST', '/devices/change', { ...body, Token: last.Token });
    expect(late.json).toMatchObject({ code: 1004, errors: [{ field: 'Token' }] });
    expect((await one.send('GET', `/device-changes/${last.Token}`)).status).toBe(200);
    await preview(body);
    expect((await one.send('GET', `/device-changes/${last.Token}`)).status).toBe(400);
  });

  test('of a change that runs outlives other previews, and an hour since its preview', async () => {
    for (let i = 0; i < 3; i += 1) await device(`d${i}`);
    const body = { Filter: {}, Set: { Timeout: 5 } };
    const { Token } = await preview(body);
    await rest.clock.advance(3_000_000);
    await sql`update device_changes set state = 'Running', place = 1, touched_us = ${rest.clock.nowUs()}::bigint
      where token = ${Token}`.execute(rest.db.kysely);
    for (let i = 0; i < 25; i += 1) await preview(body);
    await rest.clock.advance(3_000_000);
    await preview(body);
    const done = await one.send('POST', '/devices/change', { ...body, Token });
    expect(done.json).toMatchObject({ Matched: 3, Changed: 2, Done: true });
  });

  test('of a change that was interrupted goes on where it stopped, also when its filter leaves nothing any more', async () => {
    for (let i = 0; i < 3; i += 1) await device(`d${i}`);
    const body = { Filter: { Severity: 'critical' }, Set: { Severity: 'info' } };
    const { Token } = await preview(body);
    const state = (place: number) =>
      sql`update device_changes set state = 'Running', place = ${place}, changed = ${place} where token = ${Token}`.execute(
        rest.db.kysely,
      );
    await state(2);
    const done = await one.send('POST', '/devices/change', { ...body, Token });
    expect(done.json).toMatchObject({ Matched: 3, Changed: 3, Done: true });
    const left = await one.send('GET', '/devices?Severity=critical');
    expect(left.json).toHaveLength(2);
  });
});

test('each part of the body that is wrong is named', async () => {
  const cases: readonly (readonly [body: object, field: string])[] = [
    [{ Filter: {} }, 'Set'],
    [{ Filter: {}, Delete: true, Set: { Timeout: 5 } }, 'Delete'],
    [{ Filter: {}, Set: { Frequency: 1, FrequencySeconds: 5 } }, 'Set.FrequencySeconds'],
    [{ Filter: {}, Set: { Retries: 3, Attempts: 4 } }, 'Set.Attempts'],
    [{ Filter: {}, Set: { nschedule_id: 'x' } }, 'Set.nschedule_id'],
    [{ Filter: {}, Set: { Locations: ['nowhere'] } }, 'Set.Locations'],
    [{ Filter: {}, AddTags: ['none'] }, 'AddTags'],
    [{ Filter: {}, RemoveTags: ['none'] }, 'RemoveTags'],
    [{ Set: { Timeout: 5 } }, 'Filter'],
    [{ Filter: {}, Set: { URL: 'x' } }, 'Set'],
    [{ Filter: {}, Maintenance: { Start: 'soon' } }, 'Maintenance.Start'],
  ];
  for (const [body, field] of cases) {
    const { json, text } = await one.send('POST', '/devices/change', body);
    expect(json, text).toMatchObject({ code: 1004 });
    expect(text).toContain(`"field":"${field}`);
  }
});

test('ids that cannot be ids name nothing', async () => {
  const Filter = { Devices: ['x', '\u{1f600}'] };
  expect(await preview({ Filter, Set: { Timeout: 5 } })).toMatchObject({ Matched: 0 });
});

test('tags come and go, and maintenance starts and ends', async () => {
  for (const Name of ['old', 'new']) await one.create('/tags', { Name });
  const ids = [await device('a', { Tags: ['old'] }), await device('b', { Tags: ['new'] })];
  const { done } = await change({ Filter: { Devices: ids }, AddTags: ['new'], RemoveTags: ['old'] });
  expect(done).toMatchObject({ Matched: 2, Changed: 1, Done: true });
  for (const id of ids) expect((await read(id))['Tags']).toMatchObject([{ Name: 'new' }]);
  const started = await change({
    Filter: { Tag: 'new' },
    Maintenance: { Duration: '02:00', Reason: 'move' },
  });
  expect([started.previewed.Changed, started.done.Changed]).toEqual([2, 2]);
  for (const id of ids) expect(await read(id)).toMatchObject({ Status: 'Maint' });
  const ended = await change({ Filter: { Status: 'Maint' }, Maintenance: null });
  expect([ended.previewed.Changed, ended.done.Changed]).toEqual([2, 2]);
  for (const id of ids) expect((await read(id))['MaintenanceUntil']).toBeNull();
});

test('an operator may start and end maintenance of many, and nothing else', async () => {
  const id = await device('a');
  const { key } = await rest.key(one.accountNo, 'UO');
  const operator: AccountApi = {
    ...one,
    send: (method, path, body, more) => one.send(method, path, body, { key, ...more }),
  };
  const Maintenance = { Duration: '01:00' };
  const started = await changeBy(operator, { Filter: {}, Maintenance });
  expect(started.done).toMatchObject({ Matched: 1, Changed: 1, Done: true });
  expect(await read(id)).toMatchObject({ Status: 'Maint' });
  expect((await changeBy(operator, { Filter: {}, Maintenance: null })).done).toMatchObject({ Changed: 1 });
  const others = [{ Set: { Timeout: 5 } }, { AddTags: ['x'] }, { RemoveTags: ['x'] }, { Delete: true }];
  // The level is judged before the body: a fault of it changes no answer.
  const faulty = [
    { Set: 1 },
    { Set: {}, Filter: 1 },
    { AddTags: [] },
    { Delete: 'no' },
    { Set: {}, Nope: 1 },
  ];
  for (const other of [...others, ...others.map((each) => ({ Maintenance, ...each })), ...faulty]) {
    const refused = await operator.send('POST', '/devices/change', { Filter: {}, ...other });
    expect([other, refused.json]).toMatchObject([other, { code: 1002 }]);
  }
  for (const wrong of [{}, { Maintenance: 1 }, { Maintenance, Nope: 1 }, { Filter: 1, Maintenance }]) {
    const refused = await operator.send('POST', '/devices/change', { Filter: {}, ...wrong });
    expect([wrong, refused.json]).toMatchObject([wrong, { code: 1004 }]);
  }
});

test('masters are deleted with the devices behind them, and stay where others are behind them', async () => {
  await one.create('/tags', { Name: 'rack' });
  const top = await device('top', { Tags: ['rack'] });
  const mid = await device('mid', { Tags: ['rack'], device_master_id: top });
  const leaf = await device('leaf', { Tags: ['rack'], device_master_id: mid });
  const outside = await device('out', { device_master_id: top });
  const { previewed, done } = await change({ Filter: { Tag: 'rack' }, Delete: true });
  expect(previewed).toMatchObject({ Matched: 3, Changed: 2, Refused: [{ device_id: top }] });
  expect(done).toMatchObject({ Matched: 3, Changed: 2, Refused: [{ device_id: top }], Done: true });
  const left = z.array(z.object({ device_id: z.string() })).parse((await one.send('GET', '/devices')).json);
  expect(left.map(({ device_id }) => device_id)).toEqual([top, outside]);
  expect([mid, leaf]).not.toContain(left[0]?.device_id);
});

test('a master cannot be behind itself or its own dependents', async () => {
  const top = await device('top');
  const mid = await device('mid', { device_master_id: top });
  const leaf = await device('leaf');
  const { previewed, done } = await change({ Filter: {}, Set: { device_master_id: mid } });
  expect(previewed).toEqual({ ...done, Done: false });
  expect(done.Refused.map(({ device_id }) => device_id).sort()).toEqual([top, mid].sort());
  expect(await read(leaf)).toMatchObject({ device_master_id: mid });
});

test('a key that is limited to tags changes its own devices a part at a time, and is told which it may not change so', async () => {
  const scoped = await addScopedAccount(rest, `changes of a limited key ${accounts}`);
  const { mine, theirs } = scoped.tags;
  const key = await scoped.keyOf('UW');
  const post = async (path: string, body: object, by = key) => {
    const { json, text } = await rest.send('POST', path, { key: by, body });
    return outcome.parse(json, { error: () => text });
  };
  const both = await scoped.create('/devices', { ...target, ShortName: 'both', Tags: [mine, theirs] });
  const asked = { Filter: {}, Set: { Severity: 'warning' } };
  const { Token, Matched } = await post('/devices/change', asked);
  expect(Matched).toBe(2);
  expect(await post('/devices/change', { ...asked, Token })).toMatchObject({ Changed: 2, Done: true });
  const severities = async () =>
    (
      await sql<{
        severity: string;
      }>`select severity from devices where device_id = any(${[scoped.own.id, both, scoped.foreign.id]}::text[]) order by device_no`.execute(
        rest.db.kysely,
      )
    ).rows.map(({ severity }) => severity);
  expect(await severities()).toEqual(['warning', 'critical', 'warning']);

  // One of them would leave the tags of the key.
  const moved = { Filter: {}, RemoveTags: [mine], AddTags: [theirs] };
  const previewed = await post('/devices/change', moved, scoped.key);
  expect(previewed.Matched).toBeGreaterThan(2);
  const away = { Filter: {}, RemoveTags: [mine] };
  const second = await post('/devices/change', away);
  const refused = await post('/devices/change', { ...away, Token: second.Token });
  expect(refused).toMatchObject({ Matched: 2, Changed: 0, Done: true });
  expect(refused.Refused.map(({ device_id }) => device_id).sort()).toEqual([scoped.own.id, both].sort());
  expect(refused.Refused[0]?.Reason).toContain('Tags must keep one of the tags');

  const outside = await rest.send('GET', `/device-changes/${previewed.Token}`, { key });
  expect(outside.json).toMatchObject({ code: 1003 });
});

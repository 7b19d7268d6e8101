import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createHeartbeatFixture } from '../../src/testing/heartbeat-fixture.ts';
import {
  add,
  call,
  checks,
  created,
  dayMs,
  device,
  events,
  heartbeat,
  heartbeats,
  key,
  minuteMs,
  pass,
  rest,
  texts,
  useController,
  useHeartbeats,
} from './heartbeat-world.ts';

useHeartbeats();

describe('a device of the Method Push', () => {
  it('is created with an address that is shown once, without Locations and retries', async () => {
    const { device_id } = await add({ Cron: '30 2 * * *' });
    const shown = await device(device_id);
    expect(shown).toMatchObject({
      Method: 'Push',
      URL: 'push:',
      Locations: [],
      Attempts: 1,
      Status: 'Unknown',
      Warnings: [],
      Options: { Cron: '30 2 * * *' },
    });
    expect(shown).not.toHaveProperty('PushURL');
    const { rows } = await sql<{ hash: Buffer }>`select token_hash as hash from push_devices`.execute(
      rest.db.kysely,
    );
    expect(rows.every(({ hash }) => hash.length === 32)).toBe(true);
    // What a GET shows may be sent back.
    expect((await rest.send('PUT', `/devices/${device_id}`, { key, body: shown })).status).toBe(200);
  });

  it.each([
    [{ Locations: ['local'] }, 'Locations'],
    [{ Attempts: 3 }, 'Attempts'],
    [{ URL: 'https://x.example/' }, 'URL'],
    [{ Options: { Cron: '61 * * * *' } }, 'Options.Cron'],
    [{ Options: { GraceSeconds: 0 } }, 'Options.GraceSeconds'],
    [{ Options: { Nonsense: 1 } }, 'Options.Nonsense'],
  ])('%j is refused', async (more, field) => {
    const body = { Method: 'Push', URL: 'push:', ShortName: 'job', ...more };
    const reply = await rest.send('POST', '/devices', { key, body });
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.json)).toContain(`"${field}"`);
  });

  it('is created by an atomic batch, too', async () => {
    const Body = { Method: 'Push', URL: '', ShortName: 'job' };
    const Operations = [1, 2].map(() => ({ Method: 'POST', Path: '/devices', Body }));
    const reply = await rest.send('POST', '/batch', { key, body: { Atomic: true, Operations } });
    const { Results } = z.object({ Results: z.array(z.object({ Body: created })) }).parse(reply.json);
    for (const { Body: made } of Results) {
      const token = made.PushURL?.split('/').at(-1) ?? '';
      expect((await call(token)).status).toBe(200);
      expect((await device(made.device_id)).Status).toBe('Up');
    }
  });

  it('is Up by its first call, Down when one is missing, and Up again', async () => {
    const { device_id, token } = await add();
    await pass(60);
    expect(await checks(device_id)).toEqual([]);
    expect(await call(token)).toMatchObject({ status: 200, text: 'OK\n' });
    expect(await device(device_id)).toMatchObject({ Status: 'Up', LastCheckResult: 'success' });
    await pass(14.9);
    expect((await device(device_id)).Status).toBe('Up');
    await pass(0.2);
    expect((await device(device_id)).Status).toBe('Down');
    expect((await texts(device_id))[0]).toMatch(
      /^2 no call since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, due at .* \(Europe\/Berlin\), 5 min grace$/,
    );
    await pass(10);
    expect(await texts(device_id)).toHaveLength(3);
    await call(token);
    expect((await device(device_id)).Status).toBe('Up');
    expect(await events(device_id)).toEqual(['Up', 'Down', 'Error', 'Up', 'Created']);
    expect((await checks(device_id))[0]).toMatchObject({ Location: '' });
  });

  it('takes every verb, start, log, exit status and run id; the end has the duration and what was said', async () => {
    const { device_id, token } = await add({ MaxRunSeconds: 3_600 });
    expect((await call(`${token}/start?rid=a`, { method: 'GET' })).status).toBe(200);
    await pass(1);
    expect((await call(`${token}/log?rid=a`, { body: 'half way' })).status).toBe(200);
    expect(await heartbeat(device_id)).toMatchObject({
      LastCallKind: 'start',
      Runs: [{ RunId: 'a', IsOverdue: false }],
    });
    await pass(1);
    expect((await call(`${token}/3?rid=a`, { body: 'line 1\ndisk full\n' })).status).toBe(200);
    const [check] = await checks(device_id);
    expect(check).toMatchObject({
      ResultCode: 4,
      CheckResult: 'exit status 3: disk full',
      Values: [{ Label: 'duration', Value: expect.closeTo(120, 1), Unit: 's' }],
    });
    const extended = z
      .looseObject({ Extended: z.looseObject({}), Agent: z.null(), agent_id: z.null() })
      .parse((await rest.send('GET', `/checks/${check?.check_id}/extended`, { key })).json);
    expect(extended.Extended).toMatchObject({
      Call: 'exit',
      RunId: 'a',
      ExitStatus: 3,
      Address: '192.0.2.1',
      UserAgent: 'cron/1',
      Body: 'line 1\ndisk full\n',
      Log: [{ Call: 'log', Body: 'half way' }],
    });
    expect((await device(device_id)).Status).toBe('Down');
    expect((await call(`${token}/0`, { method: 'HEAD' })).status).toBe(200);
    expect((await device(device_id)).Status).toBe('Up');
    rest.clock.spend(1_000);
    const values = await rest.send('GET', `/devices/${device_id}/values?Label=duration&Bucket=Raw`, { key });
    expect(values.json).toMatchObject([
      { Label: 'duration', Unit: 's', Buckets: [{ Count: 1, Mean: expect.closeTo(120, 1) }] },
    ]);
  });

  it('reports a run that does not end', async () => {
    const { device_id, token } = await add({ MaxRunSeconds: 120, GraceSeconds: 600 });
    await call(`${token}/start`);
    await pass(2.2);
    expect((await texts(device_id))[0]).toMatch(/^2 the run that began at .* has not ended within 2 min$/);
    expect((await device(device_id)).Status).toBe('Down');
  });

  it('keeps the last 10 kB of a body', async () => {
    const { device_id, token } = await add();
    await call(token, { body: `${'x'.repeat(20_000)}end` });
    const [check] = await checks(device_id);
    const { json } = await rest.send('GET', `/checks/${check?.check_id}/extended`, { key });
    const { Body } = z.looseObject({ Extended: z.object({ Body: z.string() }).loose() }).parse(json).Extended;
    expect(Body).toHaveLength(10_240);
    expect(Body.endsWith('xend')).toBe(true);
    expect((await call(token, { body: 'x'.repeat(1_100_000) })).status).toBe(400);
  });

  it('is unknown, not Down, for a call that may have come while no controller received it', async () => {
    const { device_id, token } = await add();
    await call(token);
    await pass(8);
    await pass(4, { isAway: true });
    await pass(4.8);
    expect((await device(device_id)).Status).toBe('Up');
    await pass(0.4);
    expect((await device(device_id)).Status).toBe('Unknown');
    expect((await texts(device_id))[0]).toContain('10 no call since');
    expect((await texts(device_id))[0]).toContain('while no controller could receive it');
    const uptime = z
      .looseObject({ Uptime: z.looseObject({ UnknownSeconds: z.number(), DownSeconds: z.number() }) })
      .parse((await rest.send('GET', `/devices/${device_id}/uptime`, { key })).json).Uptime;
    expect(uptime.DownSeconds).toBe(0);
    expect(uptime.UnknownSeconds).toBeGreaterThanOrEqual(235);
    // The next due time counts from the end of the outage.
    await pass(20);
    expect((await device(device_id)).Status).toBe('Down');
  });

  it('continues after a restart: what was due meanwhile is judged one grace later', async () => {
    const { device_id, token } = await add();
    await call(token);
    await pass(5);
    // kill -9: no end is written. The next controller has the same database only.
    const before = heartbeats;
    useController(createHeartbeatFixture(rest.db, rest.clock));
    rest.clock.spend(20 * minuteMs);
    await pass(4.8);
    expect((await device(device_id)).Status).toBe('Up');
    await call(token);
    await pass(5);
    expect(await texts(device_id)).toEqual(['1 success', '1 success']);
    useController(before);
    await pass(0.5);
  });

  it('is judged by one of several controllers, once', async () => {
    const { device_id, token } = await add();
    await call(token);
    const other = createHeartbeatFixture(rest.db, rest.clock);
    for (let i = 0; i < 200; i += 1) {
      rest.clock.spend(5_000);
      await Promise.all([heartbeats.receiving.round(), other.receiving.round()]);
    }
    const { signal } = new AbortController();
    await Promise.all([heartbeats.judging.judge(signal), other.judging.judge(signal)]);
    expect(await texts(device_id)).toHaveLength(2);
    const ending = new AbortController();
    ending.abort();
    await other.receiving.run(ending.signal);
  });

  it('a controller whose calls are not stored yet holds up the judgement', async () => {
    const { device_id, token } = await add();
    await call(token);
    const other = createHeartbeatFixture(rest.db, rest.clock);
    await other.receiving.round();
    for (let i = 0; i < 182; i += 1) {
      rest.clock.spend(5_000);
      await heartbeats.receiving.round();
      if (i < 178) await other.receiving.round();
    }
    const { signal } = new AbortController();
    await heartbeats.judging.judge(signal);
    expect(await texts(device_id)).toHaveLength(1);
    // Without a word for half a minute it does not serve.
    await pass(0.6);
    expect(await texts(device_id)).toHaveLength(2);
  });

  it('a clock that was ahead delays nothing after it is set right', async () => {
    const { device_id, token } = await add();
    rest.clock.stepWall(dayMs);
    await heartbeats.receiving.round();
    await call(token);
    rest.clock.stepWall(-dayMs);
    await heartbeats.receiving.round();
    rest.clock.spend(minuteMs);
    await pass(0.1);
    await pass(16);
    expect((await texts(device_id)).filter((text) => text.startsWith('2 no call'))).toHaveLength(1);
  });

  it('a clock that jumps ahead makes nothing late', async () => {
    const { device_id, token } = await add();
    await call(token);
    await pass(1);
    rest.clock.stepWall(60 * minuteMs);
    await pass(4);
    expect((await device(device_id)).Status).toBe('Up');
    await call(token);
    expect((await texts(device_id)).every((text) => text.startsWith('1 '))).toBe(true);
  });

  it('a paused device takes calls and misses none; enabled again it counts again from then on', async () => {
    const { device_id, token } = await add();
    await call(token);
    await rest.send('PUT', `/devices/${device_id}`, { key, body: { Enabled: false } });
    await pass(30);
    expect((await call(token)).status).toBe(200);
    expect(await texts(device_id)).toEqual(['1 success', '1 success']);
    expect((await device(device_id)).Status).toBe('Unknown');
    await rest.send('PUT', `/devices/${device_id}`, { key, body: { Enabled: true } });
    await pass(0);
    await pass(14.9);
    expect(await texts(device_id)).toHaveLength(2);
    await pass(0.3);
    expect((await device(device_id)).Status).toBe('Down');
  });

  it('has a new address after a rotation, and the old one ends at once', async () => {
    const { device_id, token } = await add();
    const reply = await rest.send('PUT', `/devices/${device_id}/push/rotate`, { key });
    const { PushURL } = z.object({ PushURL: z.string() }).parse(reply.json);
    expect((await call(token)).status).toBe(404);
    expect((await call(PushURL.split('/').at(-1) ?? '')).status).toBe(200);
    expect(JSON.stringify(rest.recorded)).not.toContain(PushURL.split('/').at(-1));
  });

  it('no agent checks it', async () => {
    const { device_id } = await add();
    const trial = await rest.send('POST', '/checks/trial', {
      key,
      body: { Method: 'Push', URL: 'push:', Location: 'local' },
    });
    expect(trial.json).toMatchObject({ errors: [{ field: 'Method' }] });
    const change = { Filter: { Method: 'Push' }, Set: { Attempts: 3 }, Preview: true };
    const { json } = await rest.send('POST', '/devices/change', { key, body: change });
    expect(json).toMatchObject({ Changed: 0 });
    expect(await device(device_id)).toMatchObject({ Attempts: 1 });
  });

  it('another Method has no calls and no address', async () => {
    const body = { Method: 'TCP', URL: 'host.example:1', ShortName: 'tcp' };
    const { device_id } = created.parse((await rest.send('POST', '/devices', { key, body })).json);
    expect(await heartbeat(device_id)).toMatchObject({ LastCall: null, Runs: [] });
    expect((await rest.send('PUT', `/devices/${device_id}/push/rotate`, { key })).json).toMatchObject({
      code: 1005,
    });
  });

  it('deleting it deletes everything of it', async () => {
    const { device_id, token } = await add();
    await call(`${token}/log`, { body: 'x' });
    expect((await rest.send('DELETE', `/devices/${device_id}`, { key })).status).toBe(200);
    expect((await call(token)).status).toBe(404);
    const { rows } =
      await sql`select 1 from push_logs l where not exists (select from devices d where d.device_no = l.device_no)`.execute(
        rest.db.kysely,
      );
    expect(rows).toEqual([]);
  });
});

import { systemClock as clock } from '@vantage/kernel';
import { publish } from '@vantage/storage';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { nothing, sealer, useGatewayFixture } from './testing/gateway-fixture.ts';

const bench = useGatewayFixture();

describe('the plan', () => {
  test('comes whole at first and as changes after that, with secrets filled in', async () => {
    await bench.db.kysely
      .insertInto('secrets')
      .values({
        account_no: bench.place.accountNo,
        name: 'host',
        secret_id: `secret of ${bench.place.accountNo}`,
        sealed: sealer.seal('127.0.0.1', `secret:secret of ${bench.place.accountNo}`),
      })
      .execute();
    const first = await bench.addDevice({ url: `$${'{secret:host}'}:7` });
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    const snapshot = await stream.until('assignments');
    expect(snapshot).toMatchObject({ snapshot: true, final: true });
    expect(snapshot.upserts).toMatchObject([
      { deviceNo: first, intervalMs: 60_000, retries: 1, spec: { url: '127.0.0.1:7', timeoutMs: 10_000 } },
    ]);
    const second = await bench.addDevice({ url: '127.0.0.1:8' });
    await bench.db.kysely
      .updateTable('assignment_spans')
      .set({ to_us: clock.nowUs() })
      .where('device_no', '=', first)
      .execute();
    await publish(bench.db.kysely, 'plan', { agent_nos: [bench.agent.agentNo] });
    const change = await stream.until('assignments');
    expect(change).toMatchObject({ snapshot: false, removedDeviceNos: [first] });
    expect(change.upserts.map((one) => one.deviceNo)).toEqual([second]);
  });

  test('the interval has seconds where the device has them', async () => {
    const deviceNo = await bench.addDevice({ url: '127.0.0.1:7' });
    await sql`update devices set frequency_s = 5 where device_no = ${deviceNo}`.execute(bench.db.kysely);
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    const { upserts } = await stream.until('assignments');
    expect(upserts).toMatchObject([{ deviceNo, intervalMs: 5000 }]);
    expect(upserts[0]?.scheduleOffsetMs).toBeLessThan(5000);
  });

  test("a script's text is sent unchanged, with the secrets that it calls", async () => {
    const name = `pop ${bench.place.accountNo}`.replace(' ', '-');
    const secretId = `pop secret of ${bench.place.accountNo}`;
    const sealed = sealer.seal('hunter2', `secret:${secretId}`);
    await bench.db.kysely
      .insertInto('secrets')
      .values({ account_no: bench.place.accountNo, name, secret_id: secretId, sealed })
      .execute();
    const text = `log(secret("${name}"))`;
    await bench.addDevice({ url: text, method: 'Script' });
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    const { upserts } = await stream.until('assignments');
    expect(upserts).toMatchObject([{ spec: { url: text, secrets: { [name]: 'hunter2' } } }]);
  });

  test('an agent without devices gets an empty snapshot', async () => {
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    expect(await stream.until('assignments')).toMatchObject({ snapshot: true, final: true, upserts: [] });
  });

  test('the anchors of the Location come with the snapshot, and again when they change', async () => {
    const { locationNo } = bench.place;
    const setAnchors = (anchors: readonly object[]) =>
      bench.db.kysely
        .updateTable('locations')
        .set({ anchors: JSON.stringify(anchors) })
        .where('location_no', '=', locationNo)
        .execute();
    const gateway = { Name: 'gateway', Target: '10.0.0.1', Networks: [] };
    const site = { Name: 'site', Target: '[2001:db8::1]:22', Networks: ['2001:db8::/32'] };
    await setAnchors([gateway, site]);
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    const { anchors } = await stream.until('assignments');
    expect(anchors?.anchors).toMatchObject([
      { name: 'gateway', target: '10.0.0.1', port: 0, networks: [] },
      { name: 'site', target: '[2001:db8::1]:22', port: 22, networks: ['2001:db8::/32'] },
    ]);
    const change = async () => {
      await publish(bench.db.kysely, 'plan', { agent_nos: [bench.agent.agentNo] });
      return stream.until('assignments');
    };
    const deviceNo = await bench.addDevice({ url: '127.0.0.1:8' });
    const unrelated = await change();
    expect(unrelated).toMatchObject({ snapshot: false, upserts: [{ deviceNo }] });
    expect(unrelated.anchors).toBeUndefined();
    await setAnchors([]);
    expect(await change()).toMatchObject({ snapshot: false, upserts: [], anchors: { anchors: [] } });
  });

  test('a long one comes in parts of at most 500', async () => {
    for (let i = 0; i < 3; i += 1) await bench.addDevice({ url: `127.0.0.1:${i + 1}` });
    const template = await bench.db.kysely
      .selectFrom('devices')
      .selectAll()
      .where('account_no', '=', bench.place.accountNo)
      .executeTakeFirstOrThrow();
    for (let i = 0; i < 1_200; i += 1) {
      const { device_no: _no, options: _options, host_data: _data, ...same } = template;
      const device_id = `copy ${bench.agent.agentNo} ${i}`;
      const sealed = sealer.seal({ url: '127.0.0.1:9', options: {} }, `device:${device_id}`);
      const deviceNo = await bench.rows.device(bench.place.accountNo, [bench.place.locationNo], {
        ...same,
        device_id,
        sealed,
      });
      await bench.rows.hold({
        deviceNo,
        agentNo: bench.agent.agentNo,
        locationNo: bench.place.locationNo,
        fromUs: 1,
      });
    }
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    const sizes: number[] = [];
    for (let last = false; !last; ) {
      const part = await stream.until('assignments');
      expect(part.snapshot).toBe(true);
      sizes.push(part.upserts.length);
      last = part.final;
    }
    expect(sizes).toEqual([500, 500, 203]);
  });

  test('a device that is handed over has its window until then, and is removed after it without a notice', async () => {
    const deviceNo = await bench.addDevice({ url: '127.0.0.1:9' });
    const got = await bench.addDevice({ url: '127.0.0.1:10' });
    const handOverUs = clock.nowUs() + 5_000_000;
    const set = (device: number, values: { to_us?: number; from_us?: number; handed_over?: boolean }) =>
      bench.db.kysely.updateTable('assignment_spans').set(values).where('device_no', '=', device).execute();
    await set(deviceNo, { to_us: handOverUs });
    await set(got, { from_us: handOverUs, handed_over: true });
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    const { upserts } = await stream.until('assignments');
    expect(upserts).toMatchObject([
      { deviceNo, fromUs: BigInt(Number.MAX_SAFE_INTEGER), untilUs: BigInt(handOverUs) },
      { deviceNo: got, fromUs: BigInt(handOverUs), untilUs: 0n },
    ]);
    const change = await stream.until('assignments');
    expect(change).toMatchObject({ snapshot: false, removedDeviceNos: [deviceNo], upserts: [] });
    expect(clock.nowUs()).toBeGreaterThanOrEqual(handOverUs);
  });

  test('a device that is paused while it is handed over is removed at once', async () => {
    const deviceNo = await bench.addDevice({ url: '127.0.0.1:9' });
    const { kysely } = bench.db;
    const toUs = clock.nowUs() + 60_000_000;
    await kysely
      .updateTable('assignment_spans')
      .set({ to_us: toUs })
      .where('device_no', '=', deviceNo)
      .execute();
    await kysely.updateTable('devices').set({ enabled: false }).where('device_no', '=', deviceNo).execute();
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    expect((await stream.until('assignments')).upserts).toEqual([]);
  });

  test('an agent that is handed over and gets the device back has both spans in one window', async () => {
    const deviceNo = await bench.addDevice({ url: '127.0.0.1:9' });
    const [endUs, backUs] = [clock.nowUs() + 60_000_000, clock.nowUs() + 63_000_000];
    await bench.db.kysely
      .updateTable('assignment_spans')
      .set({ to_us: endUs })
      .where('device_no', '=', deviceNo)
      .execute();
    const { agentNo } = bench.agent;
    await bench.rows.hold({ deviceNo, agentNo, locationNo: bench.place.locationNo, fromUs: backUs });
    await bench.db.kysely
      .updateTable('assignment_spans')
      .set({ handed_over: true })
      .where('from_us', '=', backUs)
      .execute();
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    const { upserts } = await stream.until('assignments');
    expect(upserts).toMatchObject([{ deviceNo, fromUs: BigInt(backUs), untilUs: BigInt(endUs) }]);
  });

  test('a run request is sent at once after its notification', async () => {
    const deviceNo = await bench.addDevice({ url: '127.0.0.1:9' });
    await using server = await bench.gatewayWith(nothing);
    await using stream = bench.connectTo(server.url);
    await stream.until('assignments');
    const runRequestId = `order ${bench.agent.agentNo}`;
    await sql`
      insert into run_requests (run_request_id, kind, device_no, agent_no, location_no, revision, deadline_us, created_us)
      values (${runRequestId}, 'Now', ${deviceNo}, ${bench.agent.agentNo}, ${bench.place.locationNo}, 1, ${clock.nowUs() + 60_000_000},
        ${clock.nowUs()})`.execute(bench.db.kysely);
    await publish(bench.db.kysely, 'runRequest', { agent_no: bench.agent.agentNo });
    expect(await stream.until('runRequest')).toMatchObject({ runRequestId, deviceNo });
    const order = await bench.db.kysely
      .selectFrom('run_requests')
      .selectAll()
      .where('run_request_id', '=', runRequestId)
      .executeTakeFirst();
    expect(order?.sent_us).not.toBeNull();
  });
});

import { createFakeClock } from '@vantage/kernel/testing';
import { describe, expect, test } from 'vitest';
import type { AnyProbe } from '../../contract/probe.ts';
import {
  type AgentObject,
  type AgentValue,
  agentObject,
  deviceChecks,
  serveSnmp,
  systemObjects,
  upTime,
} from '../../testing/index.ts';
import { createDeviceMemories } from './device-memory.ts';
import { createSnmp } from './snmp.ts';
import { loadNetSnmp } from './snmp-client.ts';

/** The probe of another agent: it remembers nothing of the tests before. */
const probe = () => createSnmp({ memories: createDeviceMemories(), load: loadNetSnmp }) as AnyProbe;

/** A port of a small switch, whose figures a test changes. */
interface Port {
  index: number;
  readonly name: string;
  readonly alias: string;
  status: number;
  octets: bigint;
  errors: number;
}

/** A small switch, and checks of it a minute after each other. */
function smallSwitch({ isOld = false, hasTableChange = true } = {}) {
  const clock = createFakeClock();
  const ports: readonly Port[] = ['Gi0/1', 'Gi0/2', 'Gi0/3'].map((name, at) => ({
    index: at + 1,
    name,
    alias: `room ${at + 1}`,
    status: 1,
    octets: 1_000n,
    errors: 0,
  }));
  const of = (entry: string, port: Port, value: () => AgentValue): AgentObject => [
    `1.3.6.1.2.1.${entry}.${port.index}`,
    value,
  ];
  const objects = (): readonly AgentObject[] => [
    ...systemObjects,
    upTime(() => 1_000_000 + clock.monoMs() / 10),
    ...(hasTableChange && !isOld ? [agentObject('1.3.6.1.2.1.31.1.5.0', 'ticks', 5)] : []),
    ...ports.flatMap((port): readonly AgentObject[] => [
      of('2.2.1.2', port, () => ({ type: 'text', value: `Port ${port.name}` })),
      of('2.2.1.5', port, () => ({ type: 'gauge', value: 100_000_000 })),
      of('2.2.1.8', port, () => ({ type: 'integer', value: port.status })),
      of('2.2.1.10', port, () => ({ type: 'counter32', value: port.octets % 2n ** 32n })),
      of('2.2.1.13', port, () => ({ type: 'counter32', value: 0 })),
      of('2.2.1.14', port, () => ({ type: 'counter32', value: port.errors })),
      of('2.2.1.16', port, () => ({ type: 'counter32', value: port.octets % 2n ** 32n })),
      of('2.2.1.19', port, () => ({ type: 'counter32', value: 0 })),
      of('2.2.1.20', port, () => ({ type: 'counter32', value: 0 })),
      ...(isOld
        ? []
        : [
            of('31.1.1.1.1', port, () => ({ type: 'text', value: port.name })),
            of('31.1.1.1.6', port, () => ({ type: 'counter64', value: port.octets })),
            of('31.1.1.1.10', port, () => ({ type: 'counter64', value: port.octets })),
            of('31.1.1.1.15', port, () => ({ type: 'gauge', value: 100 })),
            of('31.1.1.1.18', port, () => ({ type: 'text', value: port.alias })),
          ]),
    ]),
  ];
  return { clock, ports, objects };
}

describe('interfaces', () => {
  test('are found by name, alias and index, and have rates from the second check on', async () => {
    const { clock, ports, objects } = smallSwitch();
    await using agent = await serveSnmp({ objects: objects() });
    const check = deviceChecks(probe(), agent.url, clock);
    const options = { Interfaces: [{ Name: 'Gi0/1' }, { Alias: 'room 2' }, { Index: 3 }] };
    const first = await check(options);
    expect(first).toMatchObject({
      code: 1,
      text: 'core-1 answers, interfaces up: 3 of 3',
      values: {},
      extended: {
        System: { Name: 'core-1', Description: 'Example Switch 48' },
        Interfaces: [
          { Name: 'Gi0/1', Index: 1, Status: 'Up', Speed: 100_000_000 },
          { Name: 'Gi0/2', Index: 2 },
          { Name: 'Gi0/3', Index: 3 },
        ],
      },
    });
    for (const port of ports) port.octets += 60_000n * BigInt(port.index);
    const second = await check(options);
    expect(second.values['Gi0/1 in bit/s']).toBeCloseTo(8_000, -2);
    expect(second.values['Gi0/2 out bit/s']).toBeCloseTo(16_000, -2);
    expect(second.values['Gi0/3 utilisation']).toBeCloseTo(0.024, 3);
    expect(second.values).toMatchObject({ 'Gi0/1 errors/s': 0, 'Gi0/1 discards/s': 0 });
    // Equal facts are stored once.
    const { Requests: _first, ...facts } = first.extended;
    expect(second.extended).toMatchObject(facts);
    expect(second.extended['Requests']).toBe(1);
  });

  test('an interface that is down is reported; only with DeviceDown the check fails', async () => {
    const { clock, ports, objects } = smallSwitch();
    await using agent = await serveSnmp({ objects: objects() });
    const check = deviceChecks(probe(), agent.url, clock);
    const [, port] = ports;
    if (port) port.status = 2;
    const watch = (more: object) => ({
      Interfaces: [{ Name: 'Gi0/1' }, { Name: 'Gi0/2', ...more }, { Name: 'Gi0/9' }],
    });
    expect(await check(watch({}))).toMatchObject({
      code: 1,
      text: 'core-1 answers, interfaces up: 1 of 3; Gi0/2 is Down, expected Up; Gi0/9 is missing',
      extended: { Unmet: ['Gi0/2 is Down, expected Up', 'Gi0/9 is missing'] },
    });
    expect(await check(watch({ DeviceDown: true }))).toMatchObject({
      code: 7,
      text: 'Gi0/2 is Down, expected Up',
    });
    expect(await check(watch({ ExpectStatus: 'Down', DeviceDown: true }))).toMatchObject({ code: 1 });
    expect(await check(watch({ ExpectStatus: 'Any' }))).toMatchObject({
      extended: { Unmet: ['Gi0/9 is missing'] },
    });
  });

  test('too much traffic and too many errors miss their limits', async () => {
    const { clock, ports, objects } = smallSwitch();
    await using agent = await serveSnmp({ objects: objects() });
    const check = deviceChecks(probe(), agent.url, clock);
    const limits = { MaxUtilisation: 50, MaxErrorsPerSecond: 1, DeviceDown: true };
    const options = { Interfaces: [{ Name: 'Gi0/1', ...limits }] };
    expect(await check(options)).toMatchObject({ code: 1 });
    const [port] = ports;
    if (!port) throw new Error('no port');
    port.octets += 600_000_000n;
    port.errors += 600;
    expect(await check(options)).toMatchObject({
      code: 7,
      text: expect.stringMatching(
        /^Gi0\/1 has a utilisation of [78]\d(\.\d+)? %, at most 50 %; Gi0\/1 has \S+ errors\/s, at most 1$/,
      ),
    });
  });

  test('a device with v1 and without names is read by descriptions and 32-bit counters', async () => {
    const { clock, ports, objects } = smallSwitch({ isOld: true });
    await using agent = await serveSnmp({ objects: objects() });
    const check = deviceChecks(probe(), agent.url, clock);
    const options = { Version: 'v1', Interfaces: [{ Name: 'Port Gi0/2' }] };
    expect(await check(options)).toMatchObject({ code: 1, text: 'core-1 answers, interfaces up: 1 of 1' });
    const [, port] = ports;
    if (port) port.octets = 2n ** 32n + 7_000n;
    await check(options);
    if (port) port.octets += 60_000n;
    const third = await check(options);
    expect(third.values['Port Gi0/2 in bit/s']).toBeCloseTo(8_000, -2);
    // Objects that the agent lacks are not asked for again.
    expect(third.extended['Requests']).toBe(1);
  });

  test.each([true, false])('a new index is followed, ifTableLastChange %s', async (hasTableChange) => {
    const { clock, ports, objects } = smallSwitch({ hasTableChange });
    let change = 5;
    const all = () => [
      ...objects().filter(([oid]) => oid !== '1.3.6.1.2.1.31.1.5.0'),
      ...(hasTableChange ? [agentObject('1.3.6.1.2.1.31.1.5.0', 'ticks', change)] : []),
    ];
    await using agent = await serveSnmp({ objects: all() });
    const check = deviceChecks(probe(), agent.url, clock);
    const options = { Interfaces: [{ Name: 'Gi0/1' }] };
    await check(options);
    const [first, second] = ports;
    if (!first || !second) throw new Error('no port');
    [first.index, second.index] = [second.index, first.index];
    change = 9;
    second.octets += 9_000_000n;
    first.octets += 60_000n;
    agent.setObjects(all());
    const seen = await check(options);
    expect(seen.extended).toMatchObject({ Interfaces: [{ Name: 'Gi0/1', Index: 2 }] });
    expect(seen.values['Gi0/1 in bit/s']).toBeCloseTo(8_000, -2);
  });

  test('a restart is a gap, also for the checks of another device with the same address', async () => {
    const { clock, ports, objects } = smallSwitch();
    await using agent = await serveSnmp({ objects: objects() });
    const check = deviceChecks(probe(), agent.url, clock);
    const options = { Interfaces: [{ Name: 'Gi0/1' }] };
    await check(options);
    const [port] = ports;
    if (port) port.octets = 5n;
    agent.setObjects([
      ...objects().filter(([oid]) => oid !== '1.3.6.1.2.1.1.3.0'),
      agentObject('1.3.6.1.2.1.1.3.0', 'ticks', 4_000),
    ]);
    expect(await check(options)).toMatchObject({ code: 1, values: {}, extended: { Restarted: true } });
    expect(await check(options, { device: '8' })).toMatchObject({ values: {} });
  });

  test('all interfaces missing: the device is still asked', async () => {
    const { clock, objects } = smallSwitch();
    await using agent = await serveSnmp({ objects: objects() });
    const check = deviceChecks(probe(), agent.url, clock);
    const options = { Interfaces: [{ Name: 'Gi0/9', DeviceDown: true }] };
    for (let time = 0; time < 3; time += 1)
      expect(await check(options)).toMatchObject({ code: 7, text: 'Gi0/9 is missing' });
    agent.clearRequests();
    await check(options);
    expect(agent.requests.length).toBeGreaterThan(0);
  });

  test('where long answers are lost, shorter ones are asked for, also in the next check', async () => {
    const { clock, objects } = smallSwitch();
    const many = Array.from({ length: 40 }, (_, at) => at + 10);
    const more = many.flatMap((index): readonly AgentObject[] => [
      agentObject(`1.3.6.1.2.1.2.2.1.8.${index}`, 'integer', 1),
      agentObject(`1.3.6.1.2.1.31.1.1.1.1.${index}`, 'text', `Te${index}`),
      agentObject(`1.3.6.1.2.1.31.1.1.1.6.${index}`, 'counter64', 5n),
    ]);
    let lost = 0;
    await using agent = await serveSnmp({
      objects: [...objects(), ...more],
      sent: (oids) => {
        isLong = oids.length > 70;
      },
      isLost: () => {
        if (isLong) lost += 1;
        return isLong;
      },
    });
    let isLong = false;
    const check = deviceChecks(probe(), agent.url, clock);
    const options = { Interfaces: many.map((index) => ({ Name: `Te${index}` })) };
    expect(await check(options)).toMatchObject({
      code: 1,
      text: 'core-1 answers, interfaces up: 40 of 40',
    });
    expect(lost).toBeGreaterThan(0);
    const before = lost;
    await check(options);
    expect(lost).toBe(before);
  });
});

import type { MeasuredValue } from '@vantage/domain';
import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { describe, expect, test } from 'vitest';
import type { AnyProbe, ProbeOutcome } from '../../contract/probe.ts';
import {
  type AgentObject,
  type AgentValue,
  datagramContract,
  runTest,
  serveSnmp,
  snmpAnswers,
  type TestSnmpAgent,
} from '../../testing/index.ts';
import { createDeviceMemories } from './device-memory.ts';
import { createSnmp, snmp } from './snmp.ts';
import { loadNetSnmp } from './snmp-client.ts';

const object = (oid: string, type: AgentValue['type'], value: string | number | bigint): AgentObject => [
  oid,
  () => ({ type, value }) as AgentValue,
];

const system: readonly AgentObject[] = [
  object('1.3.6.1.2.1.1.1.0', 'text', 'Example Switch 48'),
  object('1.3.6.1.2.1.1.3.0', 'ticks', 123_456),
  object('1.3.6.1.2.1.1.5.0', 'text', 'core-1'),
];

datagramContract({
  probe: snmp,
  answer: snmpAnswers(system),
  url: (port) => `snmp://127.0.0.1:${port}`,
  withSecret: (port, secret) => ({
    url: `snmp://127.0.0.1:${port}`,
    options: { Version: 'v3', User: 'me', Community: secret, AuthKey: secret, PrivKey: secret },
  }),
});

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
    ...system.filter(([oid]) => oid !== '1.3.6.1.2.1.1.3.0'),
    ['1.3.6.1.2.1.1.3.0', () => ({ type: 'ticks', value: 1_000_000 + Math.floor(clock.monoMs() / 10) })],
    ...(hasTableChange && !isOld ? [object('1.3.6.1.2.1.31.1.5.0', 'ticks', 5)] : []),
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

/** Checks of one device by one agent; each returns the measurement and the values by label. */
function checksOf(agent: TestSnmpAgent, clock: ReturnType<typeof createFakeClock>) {
  const probe: AnyProbe = createSnmp({ memories: createDeviceMemories(), load: loadNetSnmp }) as AnyProbe;
  let outcome: ProbeOutcome | undefined;
  const watched: AnyProbe = {
    ...probe,
    async run(context, target, settings) {
      outcome = undefined;
      outcome = await probe.run(context, target, settings);
      return outcome;
    },
  };
  return async (options: unknown, { device = '7', afterMs = 60_000 } = {}) => {
    if (afterMs > 0) await clock.advance(afterMs);
    const running = runTest(watched, agent.url, options, { clock, timeoutMs: 10_000, device });
    const seen = await advanceUntilEnded(clock, 50, running);
    const values = Object.fromEntries(
      (outcome?.values ?? []).map((each: MeasuredValue) => [each.Label, each.Value]),
    );
    return { ...seen, values };
  };
}

describe('interfaces', () => {
  test('are found by name, alias and index, and have rates from the second check on', async () => {
    const { clock, ports, objects } = smallSwitch();
    await using agent = await serveSnmp({ objects: objects() });
    const check = checksOf(agent, clock);
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
    const check = checksOf(agent, clock);
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
    const check = checksOf(agent, clock);
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
    const check = checksOf(agent, clock);
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
      ...(hasTableChange ? [object('1.3.6.1.2.1.31.1.5.0', 'ticks', change)] : []),
    ];
    await using agent = await serveSnmp({ objects: all() });
    const check = checksOf(agent, clock);
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
    const check = checksOf(agent, clock);
    const options = { Interfaces: [{ Name: 'Gi0/1' }] };
    await check(options);
    const [port] = ports;
    if (port) port.octets = 5n;
    agent.setObjects([
      ...objects().filter(([oid]) => oid !== '1.3.6.1.2.1.1.3.0'),
      object('1.3.6.1.2.1.1.3.0', 'ticks', 4_000),
    ]);
    expect(await check(options)).toMatchObject({ code: 1, values: {}, extended: { Restarted: true } });
    expect(await check(options, { device: '8' })).toMatchObject({ values: {} });
  });

  test('all interfaces missing: the device is still asked', async () => {
    const { clock, objects } = smallSwitch();
    await using agent = await serveSnmp({ objects: objects() });
    const check = checksOf(agent, clock);
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
      object(`1.3.6.1.2.1.2.2.1.8.${index}`, 'integer', 1),
      object(`1.3.6.1.2.1.31.1.1.1.1.${index}`, 'text', `Te${index}`),
      object(`1.3.6.1.2.1.31.1.1.1.6.${index}`, 'counter64', 5n),
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
    const check = checksOf(agent, clock);
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

describe('values', () => {
  const objects: readonly AgentObject[] = [
    ...system,
    object('1.3.6.1.2.1.33.1.2.4.0', 'integer', 42),
    object('1.3.6.1.2.1.33.1.2.5.0', 'integer', 2_731),
    object('1.3.6.1.2.1.25.2.3.1.4.1', 'integer', 4_096),
    object('1.3.6.1.2.1.25.2.3.1.5.1', 'integer', 1_000),
    object('1.3.6.1.2.1.25.2.3.1.6.1', 'integer', 250),
    object('1.3.6.1.2.1.99.1.1.1.2.7', 'integer', 8),
    object('1.3.6.1.2.1.99.1.1.1.3.7', 'integer', 1),
    object('1.3.6.1.2.1.99.1.1.1.4.7', 'integer', 2_345),
    object('1.3.6.1.4.1.9.1.0', 'text', '0.42'),
    object('1.3.6.1.4.1.9.2.0', 'text', 'nominal'),
  ];
  const check = async (Values: readonly object[], more: object = {}) => {
    await using agent = await serveSnmp({ objects });
    return await checksOf(agent, createFakeClock())({ Values, ...more }, { afterMs: 0 });
  };

  test('known objects have their units and scales', async () => {
    const names = [
      'upsBatteryVoltage',
      'hrStorageUsed.1',
      'hrStorageUsedPercent.1',
      'entPhySensorValue.7',
      'sysUpTime',
    ];
    const seen = await check(names.map((Name) => ({ Name })));
    expect(seen).toMatchObject({
      code: 1,
      text: 'core-1 answers',
      values: {
        upsBatteryVoltage: 273.1,
        'hrStorageUsed.1': 1_024_000,
        'hrStorageUsedPercent.1': 25,
        // milli, with one decimal place
        'entPhySensorValue.7': 0.2345,
        sysUpTime: 1_234.56,
      },
    });
  });

  test.each([
    [
      { Name: 'upsEstimatedChargeRemaining', Min: 50 },
      7,
      'upsEstimatedChargeRemaining is 42 %, at least 50 %',
    ],
    [{ Name: 'upsEstimatedChargeRemaining', Max: 40, Label: 'charge' }, 7, 'charge is 42 %, at most 40 %'],
    [{ OID: '.1.3.6.1.4.1.9.1.0', Label: 'load', Max: 0.4 }, 7, 'load is 0.42, at most 0.4'],
    [{ OID: '1.3.6.1.4.1.9.2.0', Kind: 'Text', Expect: 'nominal' }, 1, 'core-1 answers'],
    [
      { OID: '1.3.6.1.4.1.9.2.0', Label: 'state', Expect: 'failed' },
      7,
      'state is "nominal", expected "failed"',
    ],
    [{ OID: '1.3.6.1.4.1.9.9.0', Label: 'fan' }, 7, 'the device has no fan'],
    [{ Name: 'upsOutputSource' }, 7, 'the device has no upsOutputSource'],
  ])('%j is %i', async (value, code, text) => {
    expect(await check([value])).toMatchObject({ code, text });
    expect(await check([value], { Version: 'v1' })).toMatchObject({ code, text });
  });

  test('equal labels are told apart, and a counter has its rate in the second check', async () => {
    const clock = createFakeClock();
    let count = 2n ** 32n - 30n;
    await using agent = await serveSnmp({
      objects: [
        ...system.filter(([oid]) => oid !== '1.3.6.1.2.1.1.3.0'),
        ['1.3.6.1.2.1.1.3.0', () => ({ type: 'ticks', value: 1_000_000 + Math.floor(clock.monoMs() / 10) })],
        ['1.3.6.1.4.1.9.1.0', () => ({ type: 'counter32', value: count % 2n ** 32n })],
        object('1.3.6.1.4.1.9.2.0', 'integer', 4),
      ],
    });
    const again = checksOf(agent, clock);
    const options = {
      Values: [
        { OID: '1.3.6.1.4.1.9.1.0', Label: 'x' },
        { OID: '1.3.6.1.4.1.9.2.0', Label: 'y' },
        { OID: '1.3.6.1.4.1.9.2.0', Label: 'y' },
      ],
    };
    expect((await again(options)).values).toEqual({ y: 4, 'y (2)': 4 });
    count += 600n;
    expect((await again(options)).values['x']).toBeCloseTo(10, 1);
  });
});

test('a community does not show, although the device repeats it', async () => {
  await using agent = await serveSnmp({
    objects: [...system, object('1.3.6.1.4.1.9.2.0', 'text', 'my sentinel-1 here')],
    community: 'sentinel-1',
  });
  const options = { Community: 'sentinel-1', Values: [{ OID: '1.3.6.1.4.1.9.2.0', Expect: 'x' }] };
  const seen = await runTest(snmp, agent.url, options);
  expect(seen.text).toContain('is "my *** here"');
  expect(JSON.stringify(seen)).not.toContain('sentinel-1');
});

test.each([
  [{ Version: 'v3' }, 'User'],
  [{ Version: 'v3', User: 'me', PrivKey: '12345678' }, 'AuthKey'],
  [{ Interfaces: [{ Name: 'a', Index: 1 }] }, 'Interfaces.0'],
  [{ Interfaces: [{}] }, 'Interfaces.0'],
  [{ Values: [{ OID: '1.3', Name: 'sysUpTime' }] }, 'Values.0'],
  [{ Values: [{ Name: 'hrProcessorLoad' }] }, 'Values.0.Name'],
  [{ Values: [{ OID: '1.3.6.9999999999' }] }, 'Values.0.OID'],
  [{ Values: [{ OID: '1.3.6.1', Min: 2, Max: 1 }] }, 'Values.0'],
])('%j is refused at %s', (options, place) => {
  const parsed = snmp.options.safeParse(options);
  expect(parsed.error?.issues.map(({ path }) => path.join('.'))).toEqual([place]);
});

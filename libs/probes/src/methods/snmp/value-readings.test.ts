import { createFakeClock } from '@vantage/kernel/testing';
import { describe, expect, test } from 'vitest';
import type { AnyProbe } from '../../contract/probe.ts';
import {
  type AgentObject,
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

describe('values', () => {
  const objects: readonly AgentObject[] = [
    ...systemObjects,
    upTime(() => 123_456),
    agentObject('1.3.6.1.2.1.33.1.2.4.0', 'integer', 42),
    agentObject('1.3.6.1.2.1.33.1.2.5.0', 'integer', 2_731),
    agentObject('1.3.6.1.2.1.25.2.3.1.4.1', 'integer', 4_096),
    agentObject('1.3.6.1.2.1.25.2.3.1.5.1', 'integer', 1_000),
    agentObject('1.3.6.1.2.1.25.2.3.1.6.1', 'integer', 250),
    agentObject('1.3.6.1.2.1.99.1.1.1.2.7', 'integer', 8),
    agentObject('1.3.6.1.2.1.99.1.1.1.3.7', 'integer', 1),
    agentObject('1.3.6.1.2.1.99.1.1.1.4.7', 'integer', 2_345),
    agentObject('1.3.6.1.4.1.9.1.0', 'text', '0.42'),
    agentObject('1.3.6.1.4.1.9.2.0', 'text', 'nominal'),
  ];
  const check = async (Values: readonly object[], more: object = {}) => {
    await using agent = await serveSnmp({ objects });
    return await deviceChecks(probe(), agent.url, createFakeClock())({ Values, ...more }, { afterMs: 0 });
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
        ...systemObjects,
        upTime(() => 1_000_000 + clock.monoMs() / 10),
        ['1.3.6.1.4.1.9.1.0', () => ({ type: 'counter32', value: count % 2n ** 32n })],
        agentObject('1.3.6.1.4.1.9.2.0', 'integer', 4),
      ],
    });
    const again = deviceChecks(probe(), agent.url, clock);
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

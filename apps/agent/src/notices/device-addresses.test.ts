import { create } from '@bufbuild/protobuf';
import { specOf } from '@vantage/probes';
import { type Assignment, AssignmentSchema } from '@vantage/proto';
import { expect, test } from 'vitest';
import { createDeviceAddresses } from './device-addresses.ts';

function device(deviceNo: number, method: 'SNMP' | 'TCP' | 'PING', url: string): Assignment {
  return create(AssignmentSchema, { deviceNo, spec: specOf({ method, url, timeoutMs: 1_000, options: {} }) });
}

function addressesOf(...devices: readonly Assignment[]) {
  const all = new Map(devices.map((each) => [each.deviceNo, each]));
  const clock = { ms: 0 };
  const addresses = createDeviceAddresses({ assignments: () => all, monoMs: () => clock.ms });
  const at = (address: string) => addresses.devicesAt(address).map(({ deviceNo }) => deviceNo);
  return { all, clock, addresses, at };
}

test('a device is found by the address of its URL; SNMP devices come before others', () => {
  const { at } = addressesOf(
    device(1, 'PING', '192.0.2.1'),
    device(2, 'SNMP', 'snmp://192.0.2.1:161'),
    device(3, 'TCP', '192.0.2.2:22'),
    device(4, 'TCP', '[2001:db8::1]:22'),
  );
  expect(at('192.0.2.1')).toEqual([2]);
  expect(at('::ffff:192.0.2.2')).toEqual([3]);
  expect(at('2001:0db8:0::1')).toEqual([4]);
  expect(at('192.0.2.9')).toEqual([]);
});

test('a device with a name is found by the addresses of its last check', () => {
  const { all, clock, addresses, at } = addressesOf(device(1, 'SNMP', 'core.example'));
  expect(at('192.0.2.7')).toEqual([]);
  addresses.checked(1, ['192.0.2.7']);
  addresses.checked(9, ['192.0.2.8']);
  clock.ms += 10_001;
  expect(at('192.0.2.7')).toEqual([1]);
  expect(at('192.0.2.8')).toEqual([]);
  all.delete(1);
  expect(at('192.0.2.7')).toEqual([]);
});

test('of many devices at one address four are named', () => {
  const many = Array.from({ length: 9 }, (_, at) => device(at + 1, 'TCP', `192.0.2.1:${at + 1}`));
  expect(addressesOf(...many).at('192.0.2.1')).toEqual([1, 2, 3, 4]);
});

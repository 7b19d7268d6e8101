import { expect, test } from 'vitest';
import type { InterfaceReading } from './interface-readings.ts';
import { measuredValues } from './judge-device.ts';

function reading(at: number, more: Partial<InterfaceReading['watched']> = {}): InterfaceReading {
  return {
    found: {
      index: at,
      position: at,
      label: `p${at}`,
      name: `p${at}`,
      alias: '',
      speed: 1e9,
      has64Bits: true,
    },
    watched: { Name: `p${at}`, ExpectStatus: 'Up', DeviceDown: false, ...more },
    status: 'Up',
    inBits: 1,
    outBits: 2,
    errors: 0,
    discards: 0,
    utilisation: 0,
    isAmbiguous: false,
  };
}

const suffixes = (interfaces: readonly InterfaceReading[]) => {
  const labels = measuredValues(interfaces, []).map(({ Label }) => Label.replace(/^p\d+ /, ''));
  return Object.fromEntries(
    [...Map.groupBy(labels, (label) => label)].map(([name, all]) => [name, all.length]),
  );
};

test('of more interfaces than fit, those with a limit keep its value', () => {
  const all = Array.from({ length: 48 }, (_, at) => reading(at, at < 10 ? { MaxUtilisation: 80 } : {}));
  const kept = { 'in bit/s': 48, 'out bit/s': 48, 'errors/s': 48, 'discards/s': 48, utilisation: 8 };
  expect(suffixes(all)).toEqual(kept);
  expect(suffixes(all.slice(0, 40))).toEqual({
    ...kept,
    ...Object.fromEntries(Object.keys(kept).map((name) => [name, 40])),
  });
  const many = Array.from({ length: 64 }, (_, at) => reading(at, at === 3 ? { MaxErrorsPerSecond: 1 } : {}));
  expect(suffixes(many)).toEqual({ 'in bit/s': 64, 'out bit/s': 64, 'errors/s': 64 });
});

test('which values fit does not depend on the rates of a check', () => {
  const all = Array.from({ length: 48 }, (_, at) => ({ ...reading(at), errors: undefined }));
  expect(suffixes(all)).toEqual({ 'in bit/s': 48, 'out bit/s': 48, 'discards/s': 48 });
});

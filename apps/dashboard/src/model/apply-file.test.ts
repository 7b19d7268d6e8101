import { expect, test } from 'vitest';
import { applyFile, type ListedSettings } from './apply-file.ts';
import { csvTable } from './csv.ts';

const settings = (more: Partial<ListedSettings> = {}): ListedSettings => ({
  URL: '192.0.2.1',
  Method: 'PING',
  ShortName: 'core',
  FullName: null,
  ExternalKey: null,
  Frequency: 5,
  FrequencySeconds: null,
  Timeout: 30,
  Attempts: 3,
  RetryDelay: 1,
  Severity: 'critical',
  Enabled: true,
  nschedule_id: null,
  mschedule_id: null,
  device_master_id: null,
  Locations: null,
  Options: {},
  Tags: [],
  ...more,
});

test('an apply file has unique keys, names for ids, and no defaults', () => {
  const devices = new Map([
    ['a', settings({ ExternalKey: 'core' })],
    [
      'b',
      settings({
        device_master_id: 'a',
        nschedule_id: 'n',
        Locations: [],
        FrequencySeconds: 10,
        Frequency: 1,
      }),
    ],
    ['c', settings({ Tags: [{ Name: 'z' }, { Name: 'b' }], Timeout: 5, Options: { Count: 3 } })],
  ]);
  const file: unknown = JSON.parse(applyFile(devices, (id) => (id === 'n' ? 'Office hours' : undefined)));
  const common = { Method: 'PING', URL: '192.0.2.1', ShortName: 'core' };
  expect(file).toEqual({
    devices: [
      { Key: 'core', ...common, Frequency: 5 },
      {
        Key: 'core-2',
        ...common,
        FrequencySeconds: 10,
        nschedule_id: 'Office hours',
        device_master_id: 'core',
        Locations: [],
      },
      { Key: 'core-3', ...common, Frequency: 5, Timeout: 5, Tags: ['b', 'z'], Options: { Count: 3 } },
    ],
  });
});

test('CSV quotes what a reader would split, and a formula is a text', () => {
  expect(
    csvTable([
      ['Name', 'a;b'],
      ['=1+1', '-5', 'say "no"\n', '@x'],
    ]),
  ).toBe('Name,"a;b"\r\n\'=1+1,\'-5,"say ""no""\n",\'@x\r\n');
});

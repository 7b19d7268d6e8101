import { expect, test } from 'vitest';
import { offerText } from './run-snmp-walk.ts';

test('a walk shows interfaces and values as tables, with units, and says when it is incomplete', () => {
  const port = { Index: 1, Name: 'ge-0/0/1', Alias: 'uplink', Status: 'Up', AdminStatus: 'Up', Speed: 1e10 };
  const answer = {
    Location: 'berlin',
    ResultCode: 1,
    CheckResult: 'sw offers 2 interfaces, 1 values',
    Interfaces: [
      { ...port, InBits: 8_240_000_000, OutBits: 900 },
      {
        ...port,
        Index: 2,
        Name: 'ge-0/0/2',
        Alias: '',
        Status: 'Down',
        AdminStatus: 'Down',
        InBits: null,
        OutBits: 0,
      },
    ],
    Values: [{ Name: 'hrProcessorLoad.1', Label: 'CPU 1', Unit: '%', Value: 14, Group: 'Processors' }],
    IsComplete: false,
  };
  expect(offerText(answer).split('\n')).toEqual([
    'sw offers 2 interfaces, 1 values (asked from berlin)',
    '',
    'index  interface  alias   status       speed      in           out',
    '1      ge-0/0/1   uplink  Up           10 Gbit/s  8.24 Gbit/s  900 bit/s',
    '2      ge-0/0/2   -       Down (shut)  10 Gbit/s  -            0 bit/s',
    '',
    'value              label  now',
    'hrProcessorLoad.1  CPU 1  14 %',
    '',
    'The list may be incomplete.',
  ]);
  expect(offerText({ ...answer, Interfaces: [], Values: [], IsComplete: true })).toBe(
    'sw offers 2 interfaces, 1 values (asked from berlin)',
  );
});

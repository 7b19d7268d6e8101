import { probeFor } from '@vantage/probes';
import { expect, test } from 'vitest';
import { readArguments, shellWords } from './plugin-arguments.ts';
import { snmpPlugin } from './snmp-plugin.ts';

const flags = ['4', '6', 'v', 'n', 'O'];
const read = (line: string) => snmpPlugin(readArguments(shellWords(line), flags), '192.0.2.2');

test('OIDs with their ranges, labels and the login are carried over', () => {
  const target = read(
    '-P 2c -C "my community" -o .1.3.6.1.2.1.1.3.0,1.3.6.1.4.1.9.1.0 -c 10:20,~:5 -l up,fan -p 1161',
  );
  expect(target).toEqual({
    method: 'SNMP',
    url: '192.0.2.2:1161',
    options: {
      Version: 'v2c',
      Community: 'my community',
      Values: [
        { OID: '.1.3.6.1.2.1.1.3.0', Label: 'up', Min: 10, Max: 20 },
        { OID: '1.3.6.1.4.1.9.1.0', Label: 'fan', Max: 5 },
      ],
    },
    lost: [],
  });
});

test('v3 with its keys; what has no counterpart is named', () => {
  const target = read(
    '-P 3 -U me -a SHA-256 -A authauth1 -x AES -X privpriv1 -o 1.3.6.1.2.1.1.3.0 -w 5 -c @3:4 -r up',
  );
  expect(target).toMatchObject({
    options: {
      User: 'me',
      AuthProtocol: 'SHA256',
      AuthKey: 'authauth1',
      PrivProtocol: 'AES',
      PrivKey: 'privpriv1',
    },
    lost: ['its warning limits', 'its regular expression', 'its critical range @3:4'],
  });
});

test.each([
  ['-C x', 'has no OID (-o)'],
  ['-o sysUpTime.0', 'reads "sysUpTime.0": write its OID as numbers'],
])('%s is refused', (line, text) => {
  expect(read(line)).toBe(text);
});

test('the probe accepts the Options', () => {
  const target = read('-o 1.3.6.1.2.1.1.3.0 -c 10 -s up');
  if (typeof target === 'string') throw new Error(target);
  const options = JSON.parse(JSON.stringify(target.options));
  expect(probeFor('SNMP')?.options.safeParse(options).error).toBeUndefined();
  expect(options).toMatchObject({ Version: 'v1', Values: [{ Min: 0, Max: 10, Expect: 'up' }] });
});

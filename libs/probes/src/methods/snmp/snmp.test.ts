import { expect, test } from 'vitest';
import {
  agentObject,
  datagramContract,
  runTest,
  serveSnmp,
  snmpAnswers,
  systemObjects,
  upTime,
} from '../../testing/index.ts';
import { snmp } from './snmp.ts';

datagramContract({
  probe: snmp,
  answer: snmpAnswers([...systemObjects, upTime(() => 123_456)]),
  url: (port) => `snmp://127.0.0.1:${port}`,
  withSecret: (port, secret) => ({
    url: `snmp://127.0.0.1:${port}`,
    options: { Version: 'v3', User: 'me', Community: secret, AuthKey: secret, PrivKey: secret },
  }),
});

test('a community does not show, although the device repeats it', async () => {
  await using agent = await serveSnmp({
    objects: [...systemObjects, agentObject('1.3.6.1.4.1.9.2.0', 'text', 'my sentinel-1 here')],
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

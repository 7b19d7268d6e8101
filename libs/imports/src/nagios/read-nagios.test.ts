import { secretReference } from '@vantage/domain';
import { describe, expect, it } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { nagiosObjects } from '../testing/nagios-sample.ts';
import { withFile } from '../testing/with-file.ts';
import { readNagios } from './read-nagios.ts';

describe('Nagios', () => {
  it('hosts and services are devices: templates, groups, parents, macros and plugins are resolved', async () => {
    const outcome = await withFile(nagiosObjects, (file) => buildApplyFile(readNagios([file]), 'nagios'));
    expect([outcome.read, outcome.file.devices.length, outcome.refused.length]).toEqual([6, 4, 2]);
    const [router, web, shop, ssh] = outcome.file.devices;
    expect(router).toEqual({
      Key: 'router',
      Method: 'PING',
      URL: '10.0.0.1',
      ShortName: 'router',
      FullName: 'router',
      Frequency: 5,
      Attempts: 4,
      RetryDelay: 60,
      Tags: ['all-hosts', 'berlin'],
      Options: { Count: 5, MaxRTTMs: 5000 },
    });
    expect(web).toMatchObject({
      Key: 'web1',
      FullName: 'Web server 1',
      device_master_id: 'router',
      Tags: ['all-hosts', 'web', 'berlin'],
    });
    expect(shop).toEqual({
      Key: 'web1/Shop',
      Method: 'HTTP',
      URL: 'https://10.0.0.2/shop?a=1',
      ShortName: 'web1Shop',
      FullName: 'web1 Shop',
      Frequency: 10,
      Timeout: 9,
      Attempts: 3,
      device_master_id: 'web1',
      Tags: ['all-hosts', 'web', 'berlin'],
      Options: {
        User: 'mon',
        Password: secretReference('secret', 'web1-Shop.Password'),
        MaxRedirects: 0,
        ExpectStatus: ['200'],
        SlowMs: 2000,
        MaxTimeMs: 5000,
        TLS: { Verify: false },
      },
    });
    expect(ssh).toMatchObject({ Method: 'SSH', URL: '10.0.0.1:2222', device_master_id: 'router' });
    expect(outcome.refused.map(({ name, text }) => `${name}: ${text}`)).toEqual([
      'web1 Disk: is checked by check_disk, for which there is no Method; a Script may replace it',
      'gone FTP: is a service of the host "gone", which is not in the files',
    ]);
    expect(outcome.ignored).toEqual(['not carried over: 1 contact objects']);
  });

  it.each([
    ['define host {\n  host_name x\n', /sample:1 has no closing "}"/],
    [
      'define host {\n}\nhello there',
      /sample:3 is not a definition: "hello there"; accepted is object files/,
    ],
  ])('a file that is none is refused with its line %#', async (text, message) => {
    await expect(withFile(text, async (file) => readNagios([file]))).rejects.toThrow(message);
  });
});

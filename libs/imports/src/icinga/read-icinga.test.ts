import { secretReference } from '@vantage/domain';
import { describe, expect, it } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { icingaAnswer } from '../testing/icinga-sample.ts';
import { withFile } from '../testing/with-file.ts';
import { readIcinga } from './read-icinga.ts';

describe('Icinga 2', () => {
  it('hosts and services are devices by their commands and variables', async () => {
    const outcome = await withFile(icingaAnswer, (file) => buildApplyFile(readIcinga([file]), 'i'));
    expect([outcome.read, outcome.file.devices.length]).toEqual([4, 3]);
    const [router, web, http] = outcome.file.devices;
    expect(router).toMatchObject({
      Key: 'router',
      Method: 'PING',
      URL: '192.0.2.1',
      Frequency: 1,
      Attempts: 3,
      RetryDelay: 30,
    });
    expect(web).toMatchObject({
      Key: 'web',
      FullName: 'Web server',
      device_master_id: 'router',
      Tags: ['linux'],
    });
    expect(http).toMatchObject({
      Key: 'web!http',
      FullName: 'web http',
      URL: 'https://192.0.2.2/cart',
      Frequency: 5,
      Attempts: 5,
      device_master_id: 'web',
      Tags: ['linux', 'shop'],
      Options: {
        Headers: { Host: 'shop.example.org' },
        ExpectText: 'Welcome',
        User: 'mon',
        Password: secretReference('secret', 'web-http.Password'),
      },
    });
    expect(outcome.refused.map(({ name, text }) => `${name} ${text}`)).toEqual([
      'web!disk is checked by disk, for which there is no Method; a Script may replace it',
    ]);
  });

  it('an answer without results is refused with what is accepted', async () => {
    await expect(withFile('{"error": 401}', async (file) => readIcinga([file]))).rejects.toThrow(
      /no list results; accepted is answers/,
    );
  });
});

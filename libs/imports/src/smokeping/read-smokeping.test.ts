import { describe, expect, it } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { smokePingConfiguration } from '../testing/smokeping-sample.ts';
import { withFile } from '../testing/with-file.ts';
import { readSmokePing } from './read-smokeping.ts';

describe('SmokePing', () => {
  it('targets are devices by their probe; menus are tags', async () => {
    const outcome = await withFile(smokePingConfiguration, (file) =>
      buildApplyFile(readSmokePing(file), 's'),
    );
    expect([outcome.read, outcome.file.devices.length]).toEqual([5, 3]);
    const [router, ns, web] = outcome.file.devices;
    expect(router).toEqual({
      Key: 'berlin/router',
      Method: 'PING',
      URL: '192.0.2.1',
      ShortName: 'router',
      FullName: 'Router in Berlin',
      Frequency: 5,
      Tags: ['berlin'],
      Options: { Count: 20 },
    });
    expect(ns).toMatchObject({ Method: 'DNS', URL: 'example.org', Options: { Server: '192.0.2.53' } });
    expect(web).toMatchObject({ Method: 'HTTP', URL: 'https://shop.example.org/' });
    expect(outcome.refused.map(({ name }) => name)).toEqual(['both', 'game']);
  });

  it('a file without targets is refused', async () => {
    await expect(
      withFile('*** General ***\nowner = Ann\n', async (file) => readSmokePing(file)),
    ).rejects.toThrow(/has no targets/);
  });
});

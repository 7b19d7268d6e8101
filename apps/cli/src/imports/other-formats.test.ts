import { secretReference } from '@vantage/domain';
import { describe, expect, it } from 'vitest';
import { readIcinga } from './icinga/read-icinga.ts';
import { settle } from './settle.ts';
import { readSmokePing } from './smokeping/read-smokeping.ts';
import { icingaAnswer, smokePingConfiguration, uptimeRobotAnswer } from './testing/more-samples.ts';
import { withFile } from './testing/with-file.ts';
import { readUptimeRobot } from './uptimerobot/read-uptimerobot.ts';

describe('UptimeRobot', () => {
  it('each monitor of an answer is a device or refused by name', async () => {
    const settled = await withFile(uptimeRobotAnswer, (file) => settle(readUptimeRobot([file]), 'u'));
    expect([settled.read, settled.file.devices.length, settled.refused.map(({ name }) => name)]).toEqual([
      6,
      5,
      ['Job'],
    ]);
    const [shop, word, none, router, mail] = settled.file.devices;
    expect(shop).toMatchObject({ Key: 'uptimerobot-1', Method: 'HTTP', Frequency: 5, Timeout: 30 });
    expect(word).toMatchObject({ Options: { ExpectText: 'Welcome' }, Enabled: false });
    expect(none?.Options).toEqual({
      RejectText: 'Error',
      User: 'mon',
      Password: secretReference('secret', 'uptimerobot-3.Password'),
    });
    expect(router).toMatchObject({ Method: 'PING', URL: '192.0.2.1' });
    expect(mail).toMatchObject({ Method: 'TCP', URL: 'mail.example.org:25' });
  });

  it('its list as CSV is a table', async () => {
    const csv =
      'Friendly Name,URL,Type,Interval\nShop,https://shop.example.org/,HTTP(s),300\nWord,https://shop.example.org/a,Keyword,300\n';
    const { file } = await withFile(csv, (name) => settle(readUptimeRobot([name]), 'u'));
    expect(file.devices.map(({ Method, Frequency }) => [Method, Frequency])).toEqual([
      ['HTTP', 5],
      ['HTTP', 5],
    ]);
  });
});

describe('Icinga 2', () => {
  it('hosts and services are devices by their commands and variables', async () => {
    const settled = await withFile(icingaAnswer, (file) => settle(readIcinga([file]), 'i'));
    expect([settled.read, settled.file.devices.length]).toEqual([4, 3]);
    const [router, web, http] = settled.file.devices;
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
    expect(settled.refused.map(({ name, text }) => `${name} ${text}`)).toEqual([
      'web!disk is checked by disk, for which there is no Method; a Script may take its place',
    ]);
  });

  it('an answer without results is refused with what is accepted', async () => {
    await expect(withFile('{"error": 401}', async (file) => readIcinga([file]))).rejects.toThrow(
      /no list results; accepted is answers/,
    );
  });
});

describe('SmokePing', () => {
  it('targets are devices by their probe; menus are tags', async () => {
    const settled = await withFile(smokePingConfiguration, (file) => settle(readSmokePing(file), 's'));
    expect([settled.read, settled.file.devices.length]).toEqual([5, 3]);
    const [router, ns, web] = settled.file.devices;
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
    expect(settled.refused.map(({ name }) => name)).toEqual(['both', 'game']);
  });

  it('a file without targets is refused', async () => {
    await expect(
      withFile('*** General ***\nowner = Ann\n', async (file) => readSmokePing(file)),
    ).rejects.toThrow(/has no targets/);
  });
});

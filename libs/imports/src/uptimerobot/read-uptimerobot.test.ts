import { secretReference } from '@vantage/domain';
import { describe, expect, it } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { uptimeRobotAnswer } from '../testing/uptimerobot-sample.ts';
import { withFile } from '../testing/with-file.ts';
import { readUptimeRobot } from './read-uptimerobot.ts';

describe('UptimeRobot', () => {
  it('each monitor of an answer is a device or refused by name', async () => {
    const outcome = await withFile(uptimeRobotAnswer, (file) => buildApplyFile(readUptimeRobot([file]), 'u'));
    expect([outcome.read, outcome.file.devices.length, outcome.refused.map(({ name }) => name)]).toEqual([
      6,
      6,
      [],
    ]);
    const [shop, word, none, router, mail] = outcome.file.devices.filter(({ Method }) => Method !== 'Push');
    expect(outcome.file.devices.find(({ Method }) => Method === 'Push')).toMatchObject({ URL: 'push:' });
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
    const { file } = await withFile(csv, (name) => buildApplyFile(readUptimeRobot([name]), 'u'));
    expect(file.devices.map(({ Method, Frequency }) => [Method, Frequency])).toEqual([
      ['HTTP', 5],
      ['HTTP', 5],
    ]);
  });
});

import { expect, test } from 'vitest';
import { pushLines } from './push-lines.ts';

const url = 'https://vantage.example/push/0123456789abcdef0123456789abcdef';

test('the lines have the address, and the crontab line of the device', () => {
  const lines = pushLines(url, '30 2 * * *');
  expect(lines.curl).toBe(`/usr/local/bin/job; curl -fsS -m 10 -o /dev/null --retry 5 ${url}/$?`);
  expect(lines.cron.split('\n')).toEqual([
    `VANTAGE_PUSH_URL=${url}`,
    '30 2 * * * vantage push -- /usr/local/bin/job',
  ]);
  expect(lines.systemd).toContain(`Environment=VANTAGE_PUSH_URL=${url}`);
  expect(pushLines(url, undefined).cron).toContain('0 * * * * vantage push');
});

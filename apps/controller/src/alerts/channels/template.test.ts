import { expect, test } from 'vitest';
import { fullNotice, sentinels } from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createTemplate } from './template.ts';

const template: HttpReceiver = {
  channel: () => createTemplate({ allowPrivate: true }),
  address: (base) => `${base}/hook?token=${sentinels[1]}`,
  secret: sentinels[2],
  options: { Body: '{"event": "{{Kind}}", "key": "{{Secret}}", "host": "{{ShortName}}"}' },
  answers: {
    delivers: [200, 'ok'],
    'refuses the message for now': [500, ''],
    'is gone': [410, ''],
  },
};
httpContract('template', template);

const withBody = (Body: string, more: object = {}) =>
  requestOf({ ...template, options: { Body, ...more } }).then(({ body, headers }) => ({ body, headers }));

test('a Body with {{Secret}} carries it, and no header does', async () => {
  const { json, headers, path } = await requestOf(template);
  expect(json).toEqual({ event: 'device.down', key: sentinels[2], host: 'web' });
  expect(headers).not.toHaveProperty('authorization');
  expect(path).toBe(`/hook?token=${sentinels[1]}`);
});

test('every name has its value, and links are filled when the message is sent', async () => {
  const names = [
    'Kind',
    'Title',
    'Timestamp',
    'To',
    'alert_id',
    'Method',
    'Severity',
    'Seconds',
    'Acknowledge',
  ];
  const { body } = await withBody(names.map((name) => `${name}={{${name}}}`).join('\n'), {
    ContentType: 'text/plain',
  });
  expect(body.split('\n')).toEqual([
    'Kind=device.down',
    'Title=web is Down: HTTP 500',
    'Timestamp=2026-11-22T08:00:00+01:00',
    'To=',
    `alert_id=${'a'.repeat(48)}`,
    'Method=HTTP',
    'Severity=critical',
    'Seconds=',
    'Acknowledge=https://vantage.example/links/a',
  ]);
});

test('a link in a form is escaped like every value', async () => {
  const { body } = await withBody('link={{Snooze}}', { ContentType: 'application/x-www-form-urlencoded' });
  expect(body).toBe('link=https%3A%2F%2Fvantage.example%2Flinks%2Fs');
});

test('a name of a device cannot leave its string, and the header is the one of SecretHeader', async () => {
  const data = { ...fullNotice.data, ShortName: '", "admin": true, "x": "{{Secret}}' };
  const options = { Body: '{"host": "{{ShortName}}"}', SecretHeader: 'X-Api-Key' };
  const { json, headers } = await requestOf({ ...template, options }, [{ ...fullNotice, data }]);
  expect(json).toEqual({ host: '", "admin": true, "x": "{{Secret}}' });
  expect(headers).toMatchObject({ 'x-api-key': sentinels[2] });
});

test('Options of another version send nothing wrong: the message cannot be composed', () => {
  const channel = createTemplate({ allowPrivate: true });
  expect(() => channel.compose([fullNotice], { Body: 1 })).toThrow();
});

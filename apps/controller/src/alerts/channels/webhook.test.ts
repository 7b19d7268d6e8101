import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { fullNotice, sentinels } from '../deliver/testing/channel-contract.ts';
import { httpContract } from '../deliver/testing/http-contract.ts';
import { isPublicAddress } from './public-address.ts';
import { retryAfterMs } from './retry-after.ts';
import { createWebhook } from './webhook.ts';

const secretOf = (text: string) => `whsec_${Buffer.from(text.padEnd(32, 'x')).toString('base64')}`;
const secret = secretOf(sentinels[2]);
const channel = createWebhook({ allowPrivate: true });
const nowUs = Date.now() * 1000;

httpContract('webhook', {
  channel: () => channel,
  address: (base) => `${base.replace('://', `://me:${sentinels[0]}@`)}/hook?token=${sentinels[1]}`,
  secret,
  answers: {
    delivers: [202, sentinels.join(' ')],
    'refuses the message for now': [500, sentinels.join(' ')],
    'is gone': [410, sentinels.join(' ')],
  },
});

async function sendTo(address: string, more: { previousSecret?: string; allowPrivate?: boolean } = {}) {
  const { previousSecret = null, allowPrivate = true } = more;
  const to = { name: 'noc', address, secret, previousSecret };
  const message = channel.compose([fullNotice], null);
  const one = createWebhook({ allowPrivate });
  return one.send({ id: 'i'.repeat(48), message, to, nowUs }, AbortSignal.timeout(9_000));
}

test('the public standardwebhooks library verifies the signature, also with the secret before a rotation', async () => {
  await using receiver = await startFakeReceiver();
  const old = secretOf('the secret before');
  expect(await sendTo(receiver.url, { previousSecret: old })).toMatchObject({ kind: 'delivered' });
  const [request] = receiver.requests;
  if (request === undefined) throw new Error('nothing arrived');
  for (const each of [secret, old])
    expect(new Webhook(each).verify(request.body, { ...request.headers })).toMatchObject({
      type: 'device.down',
      timestamp: fullNotice.timestamp,
      data: fullNotice.data,
    });
  expect(() => new Webhook(secretOf('another')).verify(request.body, { ...request.headers })).toThrow();
  expect(() => new Webhook(secret).verify(`${request.body} `, { ...request.headers })).toThrow();
  expect(request.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'i'.repeat(48) });
});

test.each([
  '127.0.0.1',
  '127.1.2.3',
  '10.0.0.1',
  '172.31.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '192.0.0.192',
  '168.63.129.16',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  '::1',
  '::',
  'fe80::1',
  'fc00::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '::ffff:10.0.0.1',
  '192.88.99.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '5f00::1',
  '100::1',
  '2001:db8::1',
  '3fff::1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::10.0.0.1',
  '2002:7f00:1::',
  '::127.0.0.1',
  'localhost',
  '0x7f.1',
  '',
])('a webhook does not connect to %s', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['8.8.8.8', '2606:4700::1111', '64:ff9b::808:808'])('a webhook may connect to %s', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test('without the permission of the operator the address is judged before anything is sent, also behind a name', async () => {
  await using receiver = await startFakeReceiver();
  const port = new URL(receiver.url).port;
  const hosts = ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f000001', '2130706433', 'localhost'];
  for (const host of hosts) {
    const outcome = await sendTo(`https://${host}:${port}/`, { allowPrivate: false });
    expect(outcome, host).toMatchObject({ kind: 'again' });
    expect(outcome.text, host).toContain('VANTAGE_ALLOW_PRIVATE_WEBHOOKS');
  }
  expect(await sendTo(receiver.url, { allowPrivate: false })).toMatchObject({
    text: 'the address does not begin with https://',
  });
  expect(receiver.requests).toEqual([]);
});

test('an endpoint that answers without an end costs a bounded number of bytes', async () => {
  let written = 0;
  await using receiver = await startFakeReceiver((response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && written < 50_000_000 && response.write('x'.repeat(10_000)))
        written += 10_000;
    };
    response.on('drain', more);
    more();
  });
  expect(await sendTo(receiver.url)).toMatchObject({ kind: 'delivered' });
  expect(written).toBeLessThan(20_000_000);
});

test.each<[string | undefined, number | undefined]>([
  ['120', 120_000],
  [' 0 ', 0],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
  ['-5', undefined],
  ['1e9', undefined],
  ['tomorrow', undefined],
  ['Thu, 99 Jan 1970 00:00:01 GMT', undefined],
  [undefined, undefined],
])('the header Retry-After: %s asks for a wait of %s ms', (text, wait) => {
  expect(retryAfterMs(text, 10_000_000)).toBe(wait);
});

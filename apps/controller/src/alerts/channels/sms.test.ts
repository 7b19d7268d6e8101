import { expect, test } from 'vitest';
import { z } from 'zod';
import { fullNotice, fullNoticeHeadline, sentinels } from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createSms } from './sms.ts';

const acknowledge = `Acknowledge: ${fullNotice.links?.acknowledge}`;

/**
 * Twilio's Messages resource (www.twilio.com/docs/messaging/api/message-resource), as one gateway that is documented
 * well.
 */
const twilio: HttpReceiver = {
  channel: () => createSms({ allowPrivate: true }),
  address: (base) =>
    `${base.replace('://', `://AC00:${sentinels[0]}@`)}/2010-04-01/Accounts/AC00/Messages.json`,
  secret: null,
  options: {
    To: '+15558675310',
    ContentType: 'application/x-www-form-urlencoded',
    Body: 'To={{To}}&From=%2B15017122661&Body={{Text}}',
  },
  answers: {
    delivers: [201, '{"sid": "SM00", "status": "queued", "error_code": null}'],
    'refuses the message for now': [503, '{"code": 20503, "status": 503}'],
    'is gone': [400, '{"code": 21211, "message": "Invalid To Phone Number", "status": 400}'],
  },
};
httpContract('sms', twilio);

test('the request is the documented one: To, From and Body as a form, with Basic authentication', async () => {
  // The vendor's example: curl -X POST …/Messages.json --data-urlencode "Body=…" "From=+15017122661" "To=+15558675310"
  // -u $SID:$TOKEN
  const { path, headers, body, outcome } = await requestOf(twilio);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 201 Created' });
  expect(path).toBe('/2010-04-01/Accounts/AC00/Messages.json');
  const login = Buffer.from(`AC00:${sentinels[0]}`).toString('base64');
  expect(headers).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${login}`,
  });
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    To: '+15558675310',
    From: '+15017122661',
    Body: `${fullNoticeHeadline} Name: Web server. Fails from Oslo. ${acknowledge}`,
  });
});

test('without a Body of its own the message is JSON with a number and a text, and the Secret is in Authorization', async () => {
  const options = { To: '+4712345678' };
  const { headers, json } = await requestOf({
    ...twilio,
    options,
    secret: 'Bearer abc',
    address: (base) => base,
  });
  expect(headers).toMatchObject({ authorization: 'Bearer abc', 'content-type': 'application/json' });
  expect(json).toEqual({
    to: '+4712345678',
    text: `${fullNoticeHeadline} Name: Web server. Fails from Oslo. ${acknowledge}`,
  });
});

test('a grouped message has at most three parts of an SMS', async () => {
  const { body } = await requestOf(
    twilio,
    Array.from({ length: 300 }, () => fullNotice),
  );
  const text = new URLSearchParams(body).get('Body') ?? '';
  expect(text).toContain('300 messages: 300 Down.');
  expect(text).toMatch(/and 29\d more$/);
  expect(text.length).toBeLessThanOrEqual(459);
});

const plain = { ...twilio, options: { To: '+4712345678' } };

test('an SMS says what to do where links are no help, and nothing about nothing', async () => {
  const { json } = await requestOf(plain, [
    { ...fullNotice, kind: 'contact.failing', data: { Contact: 'noc' }, links: null },
  ]);
  expect(json).toMatchObject({
    text: expect.stringContaining(" What to do: correct the contact's Address, then send a test"),
  });
  const over = await requestOf(plain, [
    { ...fullNotice, kind: 'location.online', data: { Location: 'Oslo' }, links: null },
  ]);
  expect(over.json).toMatchObject({ text: expect.not.stringContaining('What to do') });
});

test('the link to acknowledge stands once; the name, then the rest make room for it', async () => {
  const textOf = async (ShortName: string, options = plain.options) => {
    const data = { ...fullNotice.data, ShortName, FullName: 'Web server '.repeat(12) };
    const { body } = await requestOf({ ...plain, options }, [{ ...fullNotice, data }]);
    return body;
  };
  expect(await textOf('web')).toMatch(/Name: Web server .*Fails from Oslo\. Acknowledge: https/);
  expect(await textOf('x'.repeat(150))).toMatch(/CET\. Fails from Oslo\. Acknowledge: https/);
  expect(await textOf('x'.repeat(230))).toMatch(/CET\. Acknowledge: https/);
  expect(await textOf('x'.repeat(400))).not.toContain('Acknowledge');
  const own = { ...plain.options, Body: '{"text": "{{Text}}", "url": "{{Acknowledge}}"}' };
  expect(JSON.parse(await textOf('web', own))).toEqual({
    text: expect.not.stringContaining('Acknowledge'),
    url: fullNotice.links?.acknowledge,
  });
});

test('a group whose last line just fills three parts names every device', async () => {
  const lengths: number[] = [];
  for (let more = 0; more <= 150; more += 1) {
    const last = { ...fullNotice, data: { ...fullNotice.data, ShortName: 'w'.repeat(1 + more) } };
    const { json } = await requestOf(plain, [...Array.from({ length: 8 }, () => fullNotice), last]);
    const { text } = z.object({ text: z.string() }).parse(json);
    if (!/and \d more$/.test(text)) lengths.push(text.length);
  }
  expect(lengths.at(-1)).toBe(459);
  expect(lengths.length).toBeLessThan(151);
});

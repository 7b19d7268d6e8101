import { expect, test } from 'vitest';
import { fullNotice, fullNoticeHeadline, sentinels } from '../testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../testing/http-contract.ts';
import { createSms } from './sms.ts';

/** Twilio's Messages resource (www.twilio.com/docs/messaging/api/message-resource), as one gateway that is documented well. */
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
  // The vendor's example: curl -X POST …/Messages.json --data-urlencode "Body=…" "From=+15017122661" "To=+15558675310" -u $SID:$TOKEN
  const { path, headers, body, outcome } = await requestOf(twilio);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 201 Created' });
  expect(path).toBe('/2010-04-01/Accounts/AC00/Messages.json');
  const login = Buffer.from(`AC00:${sentinels[0]}`).toString('base64');
  expect(headers).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${login}`,
  });
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    ...{ To: '+15558675310', From: '+15017122661' },
    Body: `${fullNoticeHeadline} Name: Web server. Fails from Oslo.`,
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
    text: `${fullNoticeHeadline} Name: Web server. Fails from Oslo.`,
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

import { newId } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import type { FormRequest } from '@vantage/rest-kit/outer-routes';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { acknowledgeMany } from '../decide/acknowledge.ts';
import { enqueue } from './enqueue.ts';
import { linkRoutes } from './link-routes.ts';
import { type ActionLink, createLinks } from './links.ts';
import { createDeliveryFixture, type DeliveryFixture } from './testing/delivery-fixture.ts';
import { sampleNotification } from './testing/sample.ts';

const clock = createFakeClock();
const links = createLinks([new Uint8Array(32)]);
const acted: unknown[] = [];
let kind: 'done' | 'closed' = 'done';
let fixture: DeliveryFixture;
let link: ActionLink;

beforeAll(async () => {
  fixture = await createDeliveryFixture();
  const contactNo = await fixture.webhook('https://hooks.example.org/');
  const { accountNo } = fixture;
  const data = { ...sampleNotification.data, ShortName: '<b>web</b>' };
  await enqueue(fixture.db.kysely, [{ ...sampleNotification, accountNo, contactNo, alertNo: 8, data }], 5);
  const expiresUs = clock.nowUs() + 1_000_000;
  link = { action: 'acknowledge', accountNo, alertId: newId(), alertNo: 8, contactNo, expiresUs };
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(() => {
  acted.length = 0;
  kind = 'done';
});

async function open(rest: string, fields?: Record<string, string>) {
  const act = (name: string) => async (_kysely: unknown, ask: object) => {
    acted.push({ name, ...ask });
    return { kind };
  };
  const [route] = linkRoutes({
    db: fixture.db,
    clock,
    links,
    actions: { acknowledge: act('acknowledge'), acknowledgeMany, snooze: act('snooze') },
  });
  if (route?.needsKey !== 'signed') throw new Error('no page');
  const request: FormRequest = {
    isSent: fields !== undefined,
    rest,
    fields: new URLSearchParams(fields),
    query: new URLSearchParams(),
    cookie: undefined,
    address: '192.0.2.1',
  };
  const { body, ...reply } = await route.run(request);
  if (typeof body !== 'string') throw new Error('a page is a text');
  return { ...reply, body };
}

test('opening a link shows the message and one button, and changes nothing', async () => {
  const page = await open(links.sign(link));
  expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
  expect(page.body).toContain('&lt;b&gt;web&lt;/b&gt; is Down: HTTP 500. Down for ');
  expect(page.body.match(/<button>/g)).toHaveLength(1);
  expect(page.body).not.toMatch(/<(?:script|img|link|iframe|a)\b/);
  expect(page.headers?.['Content-Security-Policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  expect(page.headers).toMatchObject({ 'Referrer-Policy': 'no-referrer' });
  expect(acted).toEqual([]);
});

test('the page of the details shows the answers, the way that the packets took and how it is now, and acts on nothing', async () => {
  const { accountNo, contactNo } = link;
  const Path = ['192.0.2.1', null, '<b>198.51.100.7</b>'];
  const Trace = { Hops: 3, LastHop: '198.51.100.7', Reached: false, Path };
  const data = { ...sampleNotification.data, Trace };
  await enqueue(fixture.db.kysely, [{ ...sampleNotification, accountNo, contactNo, alertNo: 9, data }], 5);
  for (const fields of [undefined, { Note: 'x' }]) {
    const page = await open(links.sign({ ...link, action: 'details', alertNo: 9 }), fields);
    expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    const lines = [...page.body.matchAll(/<p>(.*)<\/p>/g)].map(([, text]) => text);
    expect(lines).toEqual([
      expect.stringMatching(/^web is Down: HTTP 500\. Down for .*, since 18 Nov 2026 11:06:40 UTC\.$/),
      'What: Web server (web), HTTP https://www.example.org/, severity critical',
      'From where: fails from Oslo',
      'Trace: 3 hops, the last that answers is 198.51.100.7',
      '1. 192.0.2.1',
      '2. no answer',
      '3. &lt;b&gt;198.51.100.7&lt;/b&gt;',
      'Now: the alert is open, not acknowledged.',
    ]);
    expect(page.body).not.toContain('<button>');
  }
  expect(acted).toEqual([]);
});

test('the button acknowledges in the name of the contact, with a note of one line', async () => {
  const page = await open(links.sign(link), { Note: ' I am\r\non it\u202e ' });
  expect(page.status).toBe(200);
  expect(page.body).toContain('<h1>Acknowledged</h1>');
  const { accountNo, alertId } = link;
  const about = { accountNo, alertId, by: 'contact', nowUs: clock.nowUs() };
  expect(acted).toEqual([{ name: 'acknowledge', ...about, note: 'I am on it' }]);
});

test.each([
  [{ Minutes: '240' }, 240],
  [{ Minutes: '9999' }, 60],
  [{}, 60],
])('the button snoozes with the form %j for %i minutes', async (form, minutes) => {
  await open(links.sign({ ...link, action: 'snooze' }), form);
  expect(acted).toMatchObject([{ name: 'snooze', untilUs: clock.nowUs() + minutes * 60_000_000 }]);
});

test('an alert that is closed already cannot be acknowledged, and the page says so', async () => {
  kind = 'closed';
  const page = await open(links.sign(link), {});
  expect(page.status).toBe(409);
  expect(page.body).toContain('This alert is closed already');
});

test.each<[string, () => string]>([
  ['an unsigned one', () => 'x.y'],
  ['one of another account', () => links.sign({ ...link, accountNo: link.accountNo + 1 })],
  ['one of an unknown contact', () => links.sign({ ...link, contactNo: 999 })],
  ['one that has expired', () => links.sign({ ...link, expiresUs: clock.nowUs() - 1 })],
  ['one of another system', () => createLinks([new Uint8Array(32).fill(1)]).sign(link)],
])('a link that is not valid shows nothing and does nothing: %s', async (_, make) => {
  for (const fields of [undefined, { Note: 'x' }]) {
    const page = await open(make(), fields);
    expect(page.status).toBe(404);
    expect(page.body).not.toContain('web');
  }
  expect(acted).toEqual([]);
});

import type { ContactType } from '@vantage/alerts';
import { createLog, newId } from '@vantage/kernel';
import { sealContact } from '@vantage/storage/secrets/sealed-contact';
import { type SmtpBehaviour, startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { createFixtures } from '@vantage/testing/fixtures';
import { withClient } from '@vantage/testing/postgres-url';
import { expect, test, vi } from 'vitest';
import { createSearch, sentinel } from '../../../../tests/e2e/sentinel.ts';
import { createChannels } from '../../src/alerts/channels/channel-registry.ts';
import {
  createDeliveryFixture,
  type DeliveryFixture,
} from '../../src/alerts/deliver/testing/delivery-fixture.ts';

const soon = { timeout: 60_000, interval: 20 };

async function webhookOf(fixture: DeliveryFixture, url: string): Promise<number> {
  const contactId = newId();
  const clear = {
    address: url.replace('://', `://me:${sentinel('login')}@`).concat(`?token=${sentinel('query')}`),
    secret: `whsec_${Buffer.from(sentinel('signing').padEnd(32, 'x')).toString('base64')}`,
    previousSecret: `whsec_${Buffer.from(sentinel('before').padEnd(32, 'x')).toString('base64')}`,
  };
  return createFixtures(fixture.db.kysely).contact(fixture.accountNo, {
    contact_id: contactId,
    type: 'webhook',
    address: 'masked',
    previous_secret_until_us: 9e15,
    sealed: sealContact(fixture.sealer, contactId, clear),
  });
}

function watchedLog() {
  const lines: string[] = [];
  const log = createLog('test', 'trace', { write: (line: string) => void lines.push(line) });
  return { lines, log };
}

/** A receiver that answers each request in another way. */
function startFakeMoodyReceiver() {
  const statuses = [200, 302, 410, 429, 500];
  return startFakeReceiver((response, _request, count) => {
    const status = statuses[count % (statuses.length + 1)];
    if (status === undefined) response.socket?.resetAndDestroy();
    else response.writeHead(status, sentinel('reason')).end(sentinel('answer'));
  });
}

/** All rows that deliveries read or write, a text for each table. */
function rowsOf(fixture: DeliveryFixture): Promise<readonly string[]> {
  return withClient(fixture.url, async (client) => {
    const texts: string[] = [];
    for (const table of ['notifications', 'contact_health', 'events', 'contacts'])
      texts.push(JSON.stringify((await client.query(`select * from ${table}`)).rows));
    return texts;
  });
}

interface Receiver {
  readonly address: string;
  readonly secret: string | null;
  readonly options?: string;
  /** Its vendor wants the credential in the body. */
  readonly isInBody?: true;
}

/** A receiver of each other type at `base`, with credentials wherever the type has some. */
function receiversAt(base: string): Readonly<Record<Exclude<ContactType, 'email' | 'webhook'>, Receiver>> {
  const login = base.replace('://', `://me:${sentinel('login')}@`);
  const [path, query, secret] = [sentinel('path'), sentinel('query'), sentinel('secret')];
  const options = JSON.stringify({ To: '+15558675310', Body: 'To={{To}}&Body={{Text}}' });
  return {
    slack: { address: `${base}/slack/${path}`, secret: null },
    teams: { address: `${base}/teams?sig=${query}`, secret: null },
    pagerduty: { address: `${base}/pagerduty`, secret, isInBody: true },
    jsm: { address: `${login}/jsm`, secret },
    alertmanager: { address: `${login}/alertmanager?token=${query}`, secret },
    ntfy: { address: `${base}/ntfy/${path}`, secret, isInBody: true },
    telegram: { address: '-1001234567890', secret: `123456:${secret}` },
    sms: { address: `${login}/sms?token=${query}`, secret: null, options },
    template: { address: `${base}/template?token=${query}`, secret, options },
    discord: { address: `${base}/discord/${path}`, secret: null },
    gotify: { address: `${login}/gotify`, secret },
    matrix: { address: `${base}/matrix/!room:example.org`, secret },
    mattermost: { address: `${base}/mattermost/${path}`, secret: null },
    opsgenie: { address: `${login}/opsgenie`, secret },
    pushover: { address: `${base}/pushover?user_key=${query}`, secret, isInBody: true },
    rocketchat: { address: `${base}/rocketchat/${path}`, secret: null },
    servicenow: { address: `${login}/servicenow`, secret: null },
    signal: { address: `${base}/signal?number=%2B4712345678&to=%2B4787654321`, secret },
    zulip: { address: `${login}/zulip?to=a&topic=b`, secret: null },
  };
}

test('no log line, body, answer or row contains a secret of a contact or of the mail server, whatever the endpoints do', async () => {
  const { lines, log } = watchedLog();
  await using fixture = await createDeliveryFixture({ scale: 10_000, log });
  await using receiver = await startFakeMoodyReceiver();
  const replies: readonly SmtpBehaviour[] = ['accept', 'reset', { rcpt: `550 ${sentinel('reply')}` }];
  for (const behaviour of replies) {
    await using mails = await startFakeMailServer(behaviour);
    const smtpUrl = mails.url.replace('://', `://me:${sentinel('smtp')}@`);
    const hook = await webhookOf(fixture, receiver.url);
    const dead = await webhookOf(fixture, 'http://127.0.0.1:1/');
    const mail = await fixture.email('noc@example.org');
    const working = fixture.work({
      channels: createChannels({ allowPrivate: true, smtpUrl, mailFrom: 'v@example.org' }),
    });
    const attempts = (await fixture.states()).length * 3;
    for (const contact of [hook, dead, mail])
      await fixture.add(...Array.from({ length: 4 }, (_, n) => [contact, `device:${n}`, 'web'] as const));
    await vi.waitFor(async () => {
      const states = await fixture.states();
      const made = states.reduce((sum, state) => sum + state.attempts, 0);
      expect(made).toBeGreaterThan(attempts + 12);
    }, soon);
    await working[Symbol.asyncDispose]();
    expect(mails.messages.flatMap(({ data }) => createSearch().shown(data))).toEqual([]);
  }
  const { shown } = createSearch();
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.flatMap(shown)).toEqual([]);
  expect(receiver.requests.length).toBeGreaterThan(5);
  expect(receiver.requests.flatMap(({ body }) => shown(body))).toEqual([]);
  const rows = await rowsOf(fixture);
  expect(rows[0]).toContain('HTTP');
  expect(rows.flatMap(shown)).toEqual([]);
  expect(fixture.failed.length).toBeGreaterThan(0);
  expect(shown(JSON.stringify(fixture.failed))).toEqual([]);
});

test('no log line, body, answer or row contains a credential of a contact of any type', async () => {
  const { lines, log } = watchedLog();
  await using fixture = await createDeliveryFixture({ scale: 10_000, log });
  await using receiver = await startFakeMoodyReceiver();
  const { origin } = new URL(receiver.url);
  const receivers = Object.entries(receiversAt(origin));
  for (const [type, { address, secret, options }] of receivers) {
    const contactId = newId();
    const contact = await createFixtures(fixture.db.kysely).contact(fixture.accountNo, {
      contact_id: contactId,
      type,
      address: 'masked',
      ...(options === undefined ? {} : { options }),
      sealed: sealContact(fixture.sealer, contactId, { address, secret, previousSecret: null }),
    });
    await fixture.add(...Array.from({ length: 4 }, (_, n) => [contact, `device:${n}`, 'web'] as const));
  }
  const reached = (path: string) => receivers.find(([type]) => path.includes(`/${type}`))?.[0] ?? 'telegram';
  const working = fixture.work({
    channels: createChannels({
      allowPrivate: true,
      smtpUrl: undefined,
      mailFrom: 'v@example.org',
      telegramUrl: `${origin}/telegram`,
    }),
  });
  await vi.waitFor(async () => {
    expect(new Set(receiver.requests.map(({ path }) => reached(path))).size).toBe(receivers.length);
    const made = (await fixture.states()).reduce((sum, { attempts }) => sum + attempts, 0);
    expect(made).toBeGreaterThan(3 * receivers.length);
  }, soon);
  await working[Symbol.asyncDispose]();
  const { shown } = createSearch();
  expect(lines.flatMap(shown)).toEqual([]);
  const inBody = new Set(receivers.flatMap(([type, { isInBody }]) => (isInBody ? [type] : [])));
  const bodies = receiver.requests.filter(({ path }) => !inBody.has(reached(path))).map(({ body }) => body);
  expect(bodies.length).toBeGreaterThan(5);
  expect(bodies.flatMap(shown)).toEqual([]);
  expect((await rowsOf(fixture)).flatMap(shown)).toEqual([]);
  expect(shown(JSON.stringify(fixture.failed))).toEqual([]);
});

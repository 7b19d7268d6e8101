import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contactTypeNames, contactTypeOf, contactTypes } from './contact-types.ts';

const strict = { allowPrivate: false };
const lenient = { allowPrivate: true };
const { email, webhook } = contactTypes;

test('every type has a name, and every name a type', () => {
  expect(contactTypeNames.map(contactTypeOf)).toEqual(contactTypeNames);
  expect(contactTypeOf('fax')).toBeUndefined();
});

test('which types hide nothing, get one message an event, keep incidents, and wait for the end of an alert', () => {
  const having = (rule: 'hidesNothing' | 'isPerEvent' | 'keepsIncidents' | 'waitsForEnd' | 'isChat') =>
    contactTypeNames.filter((name) => contactTypes[name][rule]).sort();
  const incidents: string[] = ['jsm', 'opsgenie', 'pagerduty'];
  const ending = [...incidents, 'alertmanager', 'servicenow'].sort();
  expect(having('hidesNothing')).toEqual(['email']);
  expect(having('keepsIncidents')).toEqual(incidents);
  expect(having('waitsForEnd')).toEqual(ending);
  const others = [...ending, 'email', 'sms', 'template', 'webhook'];
  expect(having('isChat')).toEqual(contactTypeNames.filter((name) => !others.includes(name)).sort());
  expect(having('isPerEvent')).toEqual([...ending, 'template', 'webhook'].sort());
});

test('which types need a secret, and which sign with it', () => {
  const needing = contactTypeNames.filter((name) => contactTypes[name].secret?.isRequired).sort();
  const open = ['alertmanager', 'ntfy', 'signal', 'sms', 'template'];
  const having = contactTypeNames.filter((name) => contactTypes[name].secret !== null).sort();
  expect(having.filter((name) => !needing.includes(name))).toEqual(open);
  expect(contactTypeNames.filter((name) => contactTypes[name].secret?.signs)).toEqual(['webhook']);
});

test('an e-mail address has at most 254 characters', () => {
  const addressOf = (last: string) => `${'a'.repeat(60)}@${`${'b'.repeat(62)}.`.repeat(3)}${last}`;
  expect(addressOf('info')).toHaveLength(254);
  expect(email.addressFault(addressOf('info'), strict)).toBeNull();
  expect(email.addressFault(addressOf('infos'), strict)).toContain('for example noc@example.org');
});

test.each(['noc@example.org', 'a.b+c@mail.example.org', 'root@mailhost', "o'neil@example.org"])(
  'an e-mail contact accepts %s',
  (address) => expect(email.addressFault(address, strict)).toBeNull(),
);

test.each([
  '',
  'noc',
  '@example.org',
  'noc@',
  'a b@example.org',
  'noc@example.org,other@example.org',
  'NOC <noc@example.org>',
  'noc@example.org\r\nBcc: x@example.org',
  '"a b"@example.org',
  '.a@example.org',
  'a..b@example.org',
  'noc@-example.org',
  'noc@exämple.org',
  `${'a'.repeat(65)}@example.org`,
  `noc@${'a.'.repeat(130)}org`,
])('an e-mail contact refuses %j and says what it accepts', (address) => {
  expect(email.addressFault(address, strict)).toContain('for example noc@example.org');
});

test.each([
  'https://hooks.example.org/vantage',
  'HTTPS://u:p@hooks.example.org:8443/a?b=c',
  'https://192.0.2.1/',
  'https://[2001:db8::1]/',
])('a webhook accepts %s', (address) => expect(webhook.addressFault(address, strict)).toBeNull());

test.each([
  ['hooks.example.org', 'begins with https://'],
  ['ftp://hooks.example.org/', 'begins with https://'],
  ['https:u:p@hooks.example.org/', 'begins with https://'],
  ['https:\\\\hooks.example.org/', 'begins with https://'],
  ['https://hooks.example.org/\n', 'begins with https://'],
  ['https://hooks.example.org/#part', 'no fragment'],
  ['https://hooks.example.org:99999/', 'begins with https://'],
  ['http://hooks.example.org/', 'VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true'],
  ['https://localhost/', 'VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true'],
  ['https://localhost./', 'VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true'],
  ['https://10.0.0.1/', 'VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true'],
  ['https://0x7f.1/', 'VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true'],
  ['https://169.254.169.254/', 'VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true'],
  ['https://[64:ff9b::10.0.0.1]/', 'VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true'],
])('a webhook refuses %j: %s', (address, reason) => {
  expect(webhook.addressFault(address, strict)).toContain(reason);
});

test.each(['http://127.0.0.1:9000/', 'https://10.0.0.1/', 'http://localhost/hook'])(
  'a webhook accepts %s where the operator permits private addresses',
  (address) => expect(webhook.addressFault(address, lenient)).toBeNull(),
);

test.each([
  ['https://h.example/a?b=c', 'https://h.example/a?b=c'],
  ['https://u:pw@h.example/a', 'https://u:***@h.example/a'],
  ['https://a@b:pw@h.example/a', 'https://a@b:***@h.example/a'],
  ['https://u:p@w:x@h.example', 'https://u:***@h.example'],
  [
    'https://h.example?token=t&a=1&API_KEY=k&token=u',
    'https://h.example?token=***&a=1&API_KEY=***&token=***',
  ],
  ['https://h.example/?token=', 'https://h.example/?token='],
])('%s is shown as %s', (address, shown) => expect(webhook.show(address)).toBe(shown));

test.each([
  ['slack', 'https://hooks.slack.com/services/T1/B1/s3cret', 'https://hooks.slack.com/services/T1/B1/***'],
  ['ntfy', 'https://me:pw@ntfy.example/base/topic/', 'https://me:***@ntfy.example/base/***/'],
  ['ntfy', 'https://ntfy.example', 'https://ntfy.example'],
  ['discord', 'https://discord.com/api/webhooks/1/s3cret', 'https://discord.com/api/webhooks/1/***'],
  ['mattermost', 'https://m.example/hooks/s3cret', 'https://m.example/hooks/***'],
  ['rocketchat', 'https://c.example/hooks/1/s3cret', 'https://c.example/hooks/1/***'],
  [
    'pushover',
    'https://p.example/1/messages.json?user_key=s3cret',
    'https://p.example/1/messages.json?user_key=***',
  ],
  ['servicenow', 'https://me:s3cret@i.service-now.com/', 'https://me:***@i.service-now.com/'],
  ['zulip', 'https://b%40x:s3cret@z.example/?to=a&topic=b', 'https://b%40x:***@z.example/?to=a&topic=b'],
  ['matrix', 'https://m.example/!room:m.example', 'https://m.example/!room:m.example'],
  ['teams', 'https://a.example/invoke?sp=%2Frun&sig=s3cret', 'https://a.example/invoke?sp=%2Frun&sig=***'],
  ['pagerduty', 'https://events.pagerduty.com/v2/enqueue', 'https://events.pagerduty.com/v2/enqueue'],
] as const)('the %s address %s is shown as %s, and sent back it is the kept one', (type, address, shown) => {
  expect(contactTypes[type].addressFault(address, strict)).toBeNull();
  expect(contactTypes[type].show(address)).toBe(shown);
  expect(contactTypes[type].fill(shown, address)).toBe(address);
});

test('the mask of the last part is filled only while scheme, host, port and user stay', () => {
  const before = 'https://hooks.slack.com/services/T1/B1/s3cret';
  const { slack } = contactTypes;
  expect(slack.fill('https://hooks.slack.com/services/T2/***', before)).toBe(
    'https://hooks.slack.com/services/T2/s3cret',
  );
  expect(slack.fill('https://evil.example/services/T1/B1/***', before)).toBeUndefined();
  expect(slack.fill('https://hooks.slack.com/services/T1/B1/***', undefined)).toBeUndefined();
});

test.each(contactTypeNames)('the rules of %s name an example that they accept', (type) => {
  const fault = contactTypes[type].addressFault('a b', strict);
  const example = /for example (\S+)/.exec(fault ?? '')?.[1] ?? '';
  expect(contactTypes[type].addressFault(example, strict)).toBeNull();
});

test.each([
  ['pagerduty', 'e93facc04764012d7bfb002500d5d1a6', 'e93facc0'],
  ['jsm', '5e1f0c6a-0000-4000-8000-000000000000', 'a key'],
  ['telegram', '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11', '123456'],
  ['ntfy', 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2', 'tk_ä'],
  ['alertmanager', 'YWxh+/-._~==', 'two words'],
  ['gotify', 'AbCdEf12345.-_', 'a token'],
  ['matrix', 'syt_YWxh_abc', ''],
  ['opsgenie', '5e1f0c6a-0000-4000-8000-000000000000', 'a key'],
] as const)('a secret of %s', (type, good, bad) => {
  expect(contactTypes[type].secret?.accepts(good)).toBe(true);
  expect(contactTypes[type].secret?.accepts(bad)).toBe(false);
});

test.each(['12', '-1001234567890', '@operations'])('a Telegram contact accepts %s', (address) => {
  expect(contactTypes.telegram.addressFault(address, strict)).toBeNull();
});

test.each(['', 'operations', '@a', '@a b', '--1', 'https://t.me/x'])(
  'a Telegram contact refuses %j and says what it accepts',
  (address) =>
    expect(contactTypes.telegram.addressFault(address, strict)).toContain(
      'for example -1001234567890 or @operations',
    ),
);

const kept = 'https://u:pw@h.example:8443/a?token=t1&token=t2';

test.each([
  ['https://u:***@h.example:8443/a?token=***&token=***', kept],
  ['https://u:***@h.example:8443/b?token=new&token=***', 'https://u:pw@h.example:8443/b?token=new&token=t2'],
  ['https://u:%2a%2A*@h.example:8443/', 'https://u:pw@h.example:8443/'],
  ['https://v:new@other.example/', 'https://v:new@other.example/'],
  ['https://v:***@h.example:8443/a', undefined],
  ['https://u:***@h.example/a', undefined],
  ['https://u:***@other.example:8443/a', undefined],
  ['http://u:***@h.example:8443/a', undefined],
  ['https://u:pw@h.example:8443/a?secret=***', undefined],
])('%s in the place of a kept address is %s', (sent, filled) => {
  expect(webhook.fill(sent, kept)).toBe(filled);
});

test('a mask without a kept address is refused', () => {
  expect(webhook.fill('https://u:***@h.example/', undefined)).toBeUndefined();
});

test('what is shown and sent back is the kept address, and shows no credential', () => {
  const word = fc.stringMatching(/^[a-z0-9@:%.-]{1,8}$/);
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z@]{1,5}$/), word, word, (user, password, token) => {
      const address = `https://${user}:SECRET${password}@h.example/p?token=SECRET${token}`;
      fc.pre(webhook.addressFault(address, strict) === null);
      expect(webhook.show(address)).not.toContain('SECRET');
      expect(webhook.fill(webhook.show(address), address)).toBe(address);
    }),
  );
});

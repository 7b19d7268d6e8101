import { createSecureContext } from 'node:tls';
import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { expect, test, vi } from 'vitest';
import type { AnyProbe } from '../contract/probe.ts';
import { ftp } from '../methods/ftp/ftp.ts';
import { imap4 } from '../methods/imap4/imap4.ts';
import { nntp } from '../methods/nntp.ts';
import { pop3 } from '../methods/pop3.ts';
import { smtp } from '../methods/smtp.ts';
import { telnet } from '../methods/telnet/telnet.ts';
import { type LineScript, listen, makeCertificate, runTest, speakLines } from '../testing/index.ts';
import { tlsModeOf } from './line-protocol.ts';

interface Speaker {
  readonly probe: AnyProbe;
  readonly scheme: string;
  readonly greeting: string;
  /** The command that starts TLS and the answer that agrees. */
  readonly start?: readonly [RegExp, string];
  readonly answer?: (line: string) => string;
}

const speakers: readonly Speaker[] = [
  {
    probe: smtp,
    scheme: 'smtps',
    greeting: '220 mail.example',
    start: [/^STARTTLS$/, '220 go'],
    answer: () => '250-mail.example\r\n250 STARTTLS',
  },
  { probe: pop3, scheme: 'pop3s', greeting: '+OK ready', start: [/^STLS$/, '+OK go'] },
  { probe: imap4, scheme: 'imaps', greeting: '* OK ready', start: [/^a1 STARTTLS$/, 'a1 OK go'] },
  { probe: nntp, scheme: 'nntps', greeting: '200 ready', start: [/^STARTTLS$/, '382 go'] },
  { probe: ftp, scheme: 'ftps', greeting: '220 ready', start: [/^AUTH TLS$/, '234 go'] },
  { probe: telnet, scheme: 'telnets', greeting: 'login: ' },
];

const certificate = makeCertificate();
const expired = makeCertificate({ fromDays: -30, toDays: -3.5 });
const elsewhere = makeCertificate({ names: ['other.example'] });

function serve(speaker: Speaker, from: typeof certificate, implicit: boolean) {
  const { greeting, start, answer = () => '500 what?' } = speaker;
  const secureContext = createSecureContext({ cert: from.cert, key: from.key });
  const tls: LineScript['tls'] = implicit
    ? { secureContext }
    : start && { secureContext, startsAfter: start[0] };
  return speakLines({
    greeting,
    ...(tls && { tls }),
    answer: (line) => (start?.[0].test(line) ? start[1] : answer(line)),
  });
}

test.each(speakers)('$scheme speaks TLS at once and spends the ssl phase', async (speaker) => {
  await using server = await listen(serve(speaker, certificate, true));
  const url = `${speaker.scheme}://${server.target}`;
  const seen = await runTest(speaker.probe, url, { TLS: { CA: certificate.cert } });
  expect(seen, seen.text).toMatchObject({ code: 1 });
  expect(seen.phases.ssl).toBeGreaterThan(0);
  expect(seen.phases.ttfb).toBeGreaterThan(0);
  expect(seen.extended['Certificate']).toMatchObject({ Subject: 'CN=127.0.0.1' });
});

const starters = speakers.filter((each) => each.start);

test.each(starters)('$probe.method upgrades to TLS by its own command', async (speaker) => {
  await using server = await listen(serve(speaker, certificate, false));
  const TLS = { Mode: 'StartTLS', CA: certificate.cert };
  const seen = await runTest(speaker.probe, server.target, { TLS });
  expect(seen, seen.text).toMatchObject({ code: 1 });
  expect(seen.phases.ssl).toBeGreaterThan(0);
  expect(seen.extended['TLS']).toMatchObject({ Version: 'TLSv1.3' });
});

test.each(starters)(
  '$probe.method distinguishes an expired certificate, a wrong name and an unknown authority',
  async (speaker) => {
    for (const [from, text] of [
      [expired, 'certificate for 127.0.0.1 expired 3 days ago'],
      [elsewhere, 'certificate is for other.example, not for 127.0.0.1'],
    ] as const) {
      await using server = await listen(serve(speaker, from, false));
      const TLS = { Mode: 'StartTLS', CA: from.cert };
      expect(await runTest(speaker.probe, server.target, { TLS })).toMatchObject({ code: 6, text });
    }
    await using server = await listen(serve(speaker, certificate, false));
    const seen = await runTest(speaker.probe, server.target, { TLS: { Mode: 'StartTLS' } });
    expect(seen).toMatchObject({ code: 6, text: 'certificate for 127.0.0.1 is self-signed' });
  },
);

test.each([
  [undefined, 'smtp', 25, 'None'],
  [undefined, 'smtps', 2525, 'Implicit'],
  [undefined, 'smtp', 465, 'Implicit'],
  ['None', 'smtps', 465, 'None'],
  ['StartTLS', 'smtp', 25, 'StartTLS'],
] as const)('with Mode %s, %s on port %i is %s', (mode, scheme, port, expected) => {
  expect(tlsModeOf(mode, { scheme, port }, { scheme: 'smtps', port: 465 })).toBe(expected);
});

test('the probe sends quit to the server and does not wait long for the reply', async () => {
  const said: string[] = [];
  await using server = await listen(
    speakLines({
      greeting: '+OK ready',
      answer(line) {
        said.push(line);
        return undefined;
      },
    }),
  );
  const timeoutMs = 20_000;
  const clock = createFakeClock();
  const running = runTest(pop3, server.target, {}, { timeoutMs, clock });
  await vi.waitFor(() => expect(said).toEqual(['QUIT']), { timeout: 60_000, interval: 2 });
  const seen = await advanceUntilEnded(clock, 100, running);
  expect(seen).toMatchObject({ code: 1, phases: { ttlb: 0 } });
  expect(clock.monoMs()).toBeLessThan(timeoutMs / 2);
});

const login = { User: 'me', Password: 'sesame' };
const mail = { EHLO: '250-x\r\n250 AUTH PLAIN' };
const box = { CAPABILITY: 'TAG OK done' };
const news = { MODE: '200 reader' };

/**
 * An answer to a login that the server cannot judge says nothing about the password: 3; all others refuse the login: 8.
 */
test.each<readonly [AnyProbe, string, Readonly<Record<string, string>>, 3 | 8, string]>([
  [
    smtp,
    '220 x',
    { ...mail, AUTH: '454 4.7.0 later' },
    3,
    'the server takes no logins now: "454 4.7.0 later"',
  ],
  [smtp, '220 x', { ...mail, AUTH: '421 bye' }, 3, 'the server takes no logins now: "421 bye"'],
  [smtp, '220 x', { ...mail, AUTH: '535 no' }, 8, 'login refused: "535 no"'],
  [
    pop3,
    '+OK x',
    { USER: '+OK', PASS: '-ERR [IN-USE] busy' },
    3,
    'the server takes no logins now: "-ERR [IN-USE] busy"',
  ],
  [
    pop3,
    '+OK x',
    { USER: '-ERR [SYS/TEMP] sick' },
    3,
    'the server takes no logins now: "-ERR [SYS/TEMP] sick"',
  ],
  [pop3, '+OK x', { USER: '+OK', PASS: '-ERR [AUTH] no' }, 8, 'login refused: "-ERR [AUTH] no"'],
  [
    imap4,
    '* OK x',
    { ...box, LOGIN: 'TAG NO [UNAVAILABLE] sick' },
    3,
    'the server takes no logins now: "NO [UNAVAILABLE] sick"',
  ],
  [imap4, '* OK x', { ...box, LOGIN: 'TAG NO no' }, 8, 'login refused: "NO no"'],
  [
    nntp,
    '200 x',
    { ...news, USER: '381 go', PASS: '400 later' },
    3,
    'the server takes no logins now: "400 later"',
  ],
  [nntp, '200 x', { ...news, USER: '403 sick' }, 3, 'the server takes no logins now: "403 sick"'],
  [nntp, '200 x', { ...news, USER: '481 no' }, 8, 'login refused: "481 no"'],
  [
    nntp,
    '200 x',
    { ...news, USER: '500 what' },
    8,
    'login refused: "500 what"; the server knows no login by user and password',
  ],
  [ftp, '220 x', { USER: '421 too many' }, 3, 'the server takes no logins now: "421 too many"'],
  [ftp, '220 x', { USER: '331 who', PASS: '530 no' }, 8, 'login refused: "530 no"'],
  [
    ftp,
    '220 x',
    { USER: '331 who', PASS: '332 and' },
    8,
    'login refused: "332 and"; the server wants an account (ACCT), which is not known here',
  ],
])('$0.method with %s, %j: %i', async (probe, greeting, table, code, text) => {
  const answers = new Map(Object.entries(table));
  const answer = (line: string) => {
    const [first = '', second = ''] = line.split(' ');
    return (answers.get(first) ?? answers.get(second))?.replace('TAG', first);
  };
  await using server = await listen(speakLines({ greeting, answer }));
  expect(await runTest(probe, server.target, login, { timeoutMs: 10_000 })).toMatchObject({ code, text });
});

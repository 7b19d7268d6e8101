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

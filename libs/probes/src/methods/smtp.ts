import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { resultCode } from '@vantage/domain';
import { z } from 'zod';
import { quoteShort } from '../contract/display.ts';
import { Failure, notMet } from '../contract/failure.ts';
import { tlsSecretOptions } from '../contract/options.ts';
import type { Probe, ProbeContext, ProbeOutcome } from '../contract/probe.ts';
import type { Dialogue } from '../dialogue/dialogue.ts';
import {
  judgeBanner,
  type Login,
  lineOptions,
  lineText,
  loginImpossible,
  loginOf,
  loginRefused,
  noStartTls,
  openLine,
  parseLineTarget,
  quit,
  tlsModeOf,
} from '../dialogue/line-protocol.ts';

const mechanisms = ['PLAIN', 'LOGIN', 'CRAM-MD5'] as const;
type Mechanism = (typeof mechanisms)[number];

const address = lineText(254).regex(
  /^[^\s<>]+$/u,
  "must be an address such as name@example.org, without '<', '>' and blanks",
);

const options = z.strictObject({
  ...lineOptions,
  Auth: z
    .enum(['Auto', ...mechanisms])
    .default('Auto')
    .describe('Login mechanism; Auto prefers CRAM-MD5 without TLS, and PLAIN with TLS.'),
  Helo: lineText(255)
    .regex(/^\S+$/u, 'must be one word such as mail.example.org')
    .optional()
    .describe("Name to greet with; default: this agent's address as a literal, `[192.0.2.1]`."),
  MailFrom: address.optional().describe('Sender that must be accepted (MAIL FROM). Nothing is ever sent.'),
  RcptTo: address
    .optional()
    .describe(
      'Recipient that must be accepted (RCPT TO), from MailFrom or the empty sender. Nothing is ever sent.',
    ),
});

/**
 * SMTP (RFC 5321) with STARTTLS (RFC 3207), AUTH (RFC 4954) and the acceptance of a sender and a recipient. Only a
 * script's message is ever sent.
 */
export const smtp: Probe<'SMTP', typeof options> = {
  method: 'SMTP',
  purpose:
    'Greets a mail server, and logs in or names a sender and a recipient where `Options` say so. It never sends a message.',
  example: {
    URL: 'smtp://mail.example.com',
    ShortName: 'mx-1',
    Options: { TLS: { Mode: 'StartTLS', MinDaysLeft: 14 } },
  },
  optionsCase: 'smtp',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', ...tlsSecretOptions],
  scriptFunctions: {
    smtp: {
      description: 'Greets a mail server, logs in, tests whether it would accept a mail, or sends one.',
      target: 'host and port',
      parameters: {
        message: {
          type: 'string',
          description:
            'A whole mail: headers, a blank line, text. The server gets it for `rcptTo`. Without it no mail is sent.',
        },
      },
    },
  },
  parseTarget: (url) =>
    parseLineTarget(url, {
      schemes: { smtp: 25, smtps: 465 },
      scheme: 'smtp',
      credentials: true,
      accepts:
        'host, host:port, [v6]:port, smtp://user:password@host:port or smtps://…, for example mail.example.org:587',
    }),
  async run(context, target, settings): Promise<ProbeOutcome> {
    const login = loginOf(target, settings);
    const mode = tlsModeOf(settings.TLS.Mode, target, { scheme: 'smtps', port: 465 });
    using dialogue = await openLine(context, target, settings, mode);
    const banner = await dialogue.expectReply([220]);
    judgeBanner(context, banner.lines.join(' '), settings.ExpectBanner);

    const helo = settings.Helo ?? literal(dialogue.connection.socket.localAddress);
    let offers = await greet(dialogue, helo);
    if (mode === 'StartTLS') {
      await secure(dialogue, offers, settings.TLS);
      offers = await greet(dialogue, helo);
    }
    context.addDetail('Extensions', offers);
    let last = banner.text;
    if (login) last = await logIn(context, dialogue, login, choose(settings.Auth, offers, dialogue));
    if (settings.MailFrom !== undefined || settings.RcptTo !== undefined) {
      last = await accepts(dialogue, `MAIL FROM:<${settings.MailFrom ?? ''}>`, 'sender');
    }
    if (settings.RcptTo !== undefined) {
      last = await accepts(dialogue, `RCPT TO:<${settings.RcptTo}>`, 'recipient');
    }
    if (context.message !== undefined) last = await deliver(dialogue, context.message);
    await quit(context, dialogue, 'QUIT');
    return { code: resultCode.ok, text: last, dataSize: dialogue.received, extended: {} };
  },
};

/** RFC 5321 section 4.1.3. */
function literal(address = '127.0.0.1'): string {
  return isIPv6(address) ? `[IPv6:${address}]` : `[${address}]`;
}

/**
 * Sends EHLO, or HELO to a server without EHLO (RFC 5321 section 3.2). Returns the extensions that the server offers.
 */
async function greet(dialogue: Dialogue, helo: string): Promise<readonly string[]> {
  await dialogue.send(`EHLO ${helo}`);
  const reply = await dialogue.readReply();
  if (reply.code === 250) return reply.lines.slice(1);
  if (![500, 501, 502, 504, 550].includes(reply.code)) {
    throw new Failure(resultCode.protocol, `expected 250 to EHLO, got ${quoteShort(reply.text)}`);
  }
  await dialogue.send(`HELO ${helo}`);
  await dialogue.expectReply([250]);
  return [];
}

async function secure(
  dialogue: Dialogue,
  offers: readonly string[],
  settings: z.output<typeof options>['TLS'],
): Promise<void> {
  const { peer } = dialogue.connection;
  if (!offers.some((extension) => /^STARTTLS\b/i.test(extension))) throw noStartTls(peer);
  await dialogue.send('STARTTLS');
  const reply = await dialogue.readReply();
  if (reply.code !== 220) throw noStartTls(peer, reply.text);
  await dialogue.startTls({ settings });
}

/** Chooses the mechanism of the login. Throws Failure 8 with the server's mechanisms if none fits. */
function choose(auth: 'Auto' | Mechanism, offers: readonly string[], dialogue: Dialogue): Mechanism {
  const offered = offers
    .filter((extension) => /^AUTH[ =]/i.test(extension))
    .flatMap((extension) => extension.slice(5).toUpperCase().split(/\s+/));
  const { secure, peer } = dialogue.connection;
  const order: readonly Mechanism[] = secure
    ? ['PLAIN', 'LOGIN', 'CRAM-MD5']
    : ['CRAM-MD5', 'PLAIN', 'LOGIN'];
  const candidates = auth === 'Auto' ? order : [auth];
  const chosen = candidates.find((mechanism) => offered.includes(mechanism));
  if (chosen) return chosen;
  if (offered.length > 0) {
    throw new Failure(
      resultCode.login,
      `${peer} offers AUTH ${offered.join(' ')}, not ${candidates.join(' or ')}`,
    );
  }
  const hint = secure ? '' : '; many servers do so only under TLS (Mode StartTLS or Implicit)';
  throw new Failure(resultCode.login, `${peer} offers no AUTH here${hint}`);
}

async function logIn(
  context: ProbeContext,
  dialogue: Dialogue,
  { user, password }: Login,
  mechanism: Mechanism,
): Promise<string> {
  context.addDetail('Auth', mechanism);
  const step = async (line: string, shown: string, code: number) => {
    await dialogue.send(line, shown);
    const reply = await dialogue.readReply();
    // RFC 4954 section 6: 454, like all codes that begin with 4, is a failure of the server.
    if (reply.code >= 400 && reply.code < 500) throw loginImpossible(reply.text);
    if (reply.code !== code) throw loginRefused(reply.text);
    return reply;
  };
  switch (mechanism) {
    case 'PLAIN': {
      const proof = base64(`\0${user}\0${password}`);
      context.redact(proof);
      return (await step(`AUTH PLAIN ${proof}`, 'AUTH PLAIN ***', 235)).text;
    }
    case 'LOGIN':
      await step('AUTH LOGIN', 'AUTH LOGIN', 334);
      await step(base64(user), '***', 334);
      return (await step(base64(password), '***', 235)).text;
    case 'CRAM-MD5': {
      const challenge = await step('AUTH CRAM-MD5', 'AUTH CRAM-MD5', 334);
      const digest = createHmac('md5', password)
        .update(Buffer.from(challenge.lines[0] ?? '', 'base64'))
        .digest('hex');
      const proof = base64(`${user} ${digest}`);
      context.redact(proof);
      return (await step(proof, '***', 235)).text;
    }
  }
}

async function accepts(dialogue: Dialogue, line: string, what: string): Promise<string> {
  await dialogue.send(line);
  const reply = await dialogue.readReply();
  if (reply.code >= 250 && reply.code <= 252) return reply.text;
  throw notMet(`${what} not accepted: expected 250, got ${quoteShort(reply.text)}`);
}

/** Sends a mail (RFC 5321 section 4.1.1.4), lines that begin with a dot doubled (section 4.5.2). */
async function deliver(dialogue: Dialogue, message: string): Promise<string> {
  await dialogue.send('DATA');
  await dialogue.expectReply([354]);
  const lines = message.split(/\r\n|\r|\n/).map((line) => (line.startsWith('.') ? `.${line}` : line));
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n.\r\n`, 'utf8');
  await dialogue.write(bytes, `(a mail of ${bytes.length} bytes)`);
  return (await dialogue.expectReply([250])).text;
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

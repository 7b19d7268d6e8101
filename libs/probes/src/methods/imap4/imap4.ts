import { resultCode } from '@vantage/domain';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import { tlsSecretOptions } from '../../contract/options.ts';
import type { Probe, ProbeContext, ProbeOutcome } from '../../contract/probe.ts';
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
} from '../../dialogue/line-protocol.ts';
import { createImapSession, type ImapSession, imapMailboxName } from './imap4-session.ts';

const options = z.strictObject({
  ...lineOptions,
  Auth: z
    .enum(['Auto', 'LOGIN', 'PLAIN'])
    .default('Auto')
    .describe('Login mechanism; Auto uses LOGIN, or AUTHENTICATE PLAIN if the server disables LOGIN.'),
  Mailbox: lineText(255).optional().describe('Mailbox that must open, read-only (EXAMINE), `INBOX` for one.'),
});

/**
 * IMAP4rev1 and rev2 (RFC 3501, 9051): greeting, STARTTLS, LOGIN or AUTHENTICATE PLAIN (RFC 4616), a mailbox that
 * opens.
 */
export const imap4: Probe<'IMAP4', typeof options> = {
  method: 'IMAP4',
  purpose: 'Greets an IMAP server, and logs in and opens a mailbox where `Options` say so.',
  example: {
    URL: 'imaps://mail.example.com',
    ShortName: 'imap-1',
    Options: { User: 'monitor', Password: 'a password', Mailbox: 'INBOX' },
  },
  optionsCase: 'imap4',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', ...tlsSecretOptions],
  scriptFunctions: {
    imap: {
      description:
        'Greets an IMAP server, logs in and opens a mailbox read-only; `facts.Messages` counts the mails.',
      target: 'host and port',
    },
  },
  parseTarget: (url) =>
    parseLineTarget(url, {
      schemes: { imap: 143, imaps: 993 },
      scheme: 'imap',
      credentials: true,
      accepts:
        'host, host:port, [v6]:port, imap://user:password@host:port or imaps://…, for example mail.example.org',
    }),
  async run(context, target, settings): Promise<ProbeOutcome> {
    const login = loginOf(target, settings);
    const mode = tlsModeOf(settings.TLS.Mode, target, { scheme: 'imaps', port: 993 });
    using dialogue = await openLine(context, target, settings, mode);
    const banner = await dialogue.readLine();
    if (!/^\* (OK|PREAUTH)\b/i.test(banner)) {
      throw new Failure(resultCode.protocol, `expected * OK, got ${quoteShort(banner)}`);
    }
    judgeBanner(context, banner.slice(2), settings.ExpectBanner);
    if (settings.Mailbox !== undefined && !login && !/^\* PREAUTH\b/i.test(banner)) {
      throw new Failure(resultCode.login, 'a mailbox needs a login: set User and Password');
    }

    const session = createImapSession(dialogue);
    if (mode === 'StartTLS') {
      const answer = await session.run(['STARTTLS']);
      if (answer.status !== 'OK') throw noStartTls(dialogue.connection.peer, answer.text);
      await dialogue.startTls({ settings: settings.TLS });
    }
    let last = banner.slice(2);
    if (login) last = await logIn(context, session, login, settings.Auth);
    if (settings.Mailbox !== undefined) last = await examine(context, session, settings.Mailbox);
    await quit(context, dialogue, 'z LOGOUT');
    return { code: resultCode.ok, text: last, dataSize: dialogue.received, extended: {} };
  },
};

async function logIn(
  context: ProbeContext,
  session: ImapSession,
  { user, password }: Login,
  auth: 'Auto' | 'LOGIN' | 'PLAIN',
): Promise<string> {
  const offers = await capabilities(session);
  context.addDetail('Capabilities', offers);
  const disabled = offers.includes('LOGINDISABLED');
  const plain = offers.includes('AUTH=PLAIN');
  if (auth === 'LOGIN' ? disabled : disabled && !plain) {
    throw new Failure(
      resultCode.login,
      'the server disables LOGIN here: set TLS Mode to StartTLS or Implicit',
    );
  }
  if (auth === 'PLAIN' && !plain) {
    throw new Failure(resultCode.login, 'the server offers no AUTHENTICATE PLAIN here');
  }
  const byPlain = auth === 'PLAIN' || (auth === 'Auto' && disabled);
  context.addDetail('Auth', byPlain ? 'PLAIN' : 'LOGIN');
  if (!byPlain) {
    const answer = await session.run(['LOGIN', { text: user }, { text: password, secret: true }]);
    if (answer.status !== 'OK') throw refusal(answer.text);
    return answer.text;
  }
  const proof = Buffer.from(`\0${user}\0${password}`, 'utf8').toString('base64');
  context.redact(proof);
  const answer = await session.run(['AUTHENTICATE', 'PLAIN'], { line: proof, shown: '***' });
  if (answer.status !== 'OK') throw refusal(answer.text);
  return answer.text;
}

/** The failure of a login. Some response codes mean that the server is in trouble (RFC 5530 section 3). */
function refusal(answer: string): Failure {
  const isServerTrouble = /^NO \[(UNAVAILABLE|INUSE|LIMIT|SERVERBUG)\]/i.test(answer);
  return isServerTrouble ? loginImpossible(answer) : loginRefused(answer);
}

async function capabilities(session: ImapSession): Promise<readonly string[]> {
  const answer = await session.run(['CAPABILITY']);
  if (answer.status !== 'OK') {
    throw new Failure(resultCode.protocol, `expected OK to CAPABILITY, got ${quoteShort(answer.text)}`);
  }
  const capabilityLine = answer.untagged.find((line) => /^CAPABILITY /i.test(line)) ?? '';
  return capabilityLine.toUpperCase().split(' ').slice(1);
}

async function examine(context: ProbeContext, session: ImapSession, mailbox: string): Promise<string> {
  const answer = await session.run(['EXAMINE', { text: imapMailboxName(mailbox) }]);
  if (answer.status !== 'OK') {
    throw notMet(`mailbox ${quoteShort(mailbox)} does not open: ${quoteShort(answer.text)}`);
  }
  const exists = answer.untagged.map((line) => /^(\d+) EXISTS$/i.exec(line)?.[1]).find((count) => count);
  if (exists !== undefined) context.addDetail('Messages', Number(exists));
  return answer.text;
}

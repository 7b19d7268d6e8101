import { resultCode } from '@vantage/domain';
import { z } from 'zod';
import { Failure, notMet, quoteShort } from '../../contract/failure.ts';
import { tlsSecretOptions } from '../../contract/options.ts';
import type { Outcome, Probe, ProbeContext } from '../../contract/probe.ts';
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
import { createImapSession, type ImapSession, imapMailboxName } from './session.ts';

const options = z.strictObject({
  ...lineOptions,
  Auth: z
    .enum(['Auto', 'LOGIN', 'PLAIN'])
    .default('Auto')
    .describe('How to log in; Auto takes LOGIN unless the server disables it, then AUTHENTICATE PLAIN.'),
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
  async run(context, target, settings): Promise<Outcome> {
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

    const talk = createImapSession(dialogue);
    if (mode === 'StartTLS') {
      const answer = await talk.ask(['STARTTLS']);
      if (answer.status !== 'OK') throw noStartTls(dialogue.connection.peer, answer.text);
      await dialogue.startTls({ settings: settings.TLS });
    }
    let last = banner.slice(2);
    if (login) last = await logIn(context, talk, login, settings.Auth);
    if (settings.Mailbox !== undefined) last = await examine(context, talk, settings.Mailbox);
    await quit(context, dialogue, 'z LOGOUT');
    return { code: resultCode.ok, text: last, dataSize: dialogue.received, extended: {} };
  },
};

async function logIn(
  context: ProbeContext,
  talk: ImapSession,
  { user, password }: Login,
  auth: 'Auto' | 'LOGIN' | 'PLAIN',
): Promise<string> {
  const offers = await capabilities(talk);
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
    const answer = await talk.ask(['LOGIN', { text: user }, { text: password, secret: true }]);
    if (answer.status !== 'OK') throw refusal(answer.text);
    return answer.text;
  }
  const both = Buffer.from(`\0${user}\0${password}`, 'utf8').toString('base64');
  context.redact(both);
  const answer = await talk.ask(['AUTHENTICATE', 'PLAIN'], { line: both, shown: '***' });
  if (answer.status !== 'OK') throw refusal(answer.text);
  return answer.text;
}

/** A login refused, unless the response code speaks of the server (RFC 5530 section 3). */
function refusal(answer: string): Failure {
  const ownTrouble = /^NO \[(UNAVAILABLE|INUSE|LIMIT|SERVERBUG)\]/i.test(answer);
  return ownTrouble ? loginImpossible(answer) : loginRefused(answer);
}

async function capabilities(talk: ImapSession): Promise<readonly string[]> {
  const answer = await talk.ask(['CAPABILITY']);
  if (answer.status !== 'OK') {
    throw new Failure(resultCode.protocol, `expected OK to CAPABILITY, got ${quoteShort(answer.text)}`);
  }
  const line = answer.untagged.find((each) => /^CAPABILITY /i.test(each)) ?? '';
  return line.toUpperCase().split(' ').slice(1);
}

async function examine(context: ProbeContext, talk: ImapSession, mailbox: string): Promise<string> {
  const answer = await talk.ask(['EXAMINE', { text: imapMailboxName(mailbox) }]);
  if (answer.status !== 'OK') {
    throw notMet(`mailbox ${quoteShort(mailbox)} does not open: ${quoteShort(answer.text)}`);
  }
  const exists = answer.untagged.map((each) => /^(\d+) EXISTS$/i.exec(each)?.[1]).find((each) => each);
  if (exists !== undefined) context.addDetail('Messages', Number(exists));
  return answer.text;
}

import { abortable } from '@vantage/kernel';
import { z } from 'zod';
import type { AttemptOutcome } from '../deliver/notification-state.ts';
import { htmlBody } from './alert-mail-html.ts';
import { textBody } from './alert-mail-text.ts';
import type { Channel, Notice, Sending } from './channel.ts';
import { plain } from './fact-text.ts';
import { faultText, mayHaveArrived } from './fault-text.ts';
import { subjectOf } from './mail-subject.ts';

/** The operator's mail server. The properties are read for each mail, because people change them. */
export interface MailSettings {
  /** `smtp://user:password@host:587` or `smtps://…`; undefined: there is none. */
  readonly smtpUrl: string | undefined;
  /** `Vantage <vantage@example.org>` or the address alone. */
  readonly mailFrom: string;
}

const stored = z.object({
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  /** The alert that the message belongs to, for the threads of mail programs. */
  thread: z.string().nullable(),
  /** The address that ends the subscription with one request (RFC 8058); absent: the mail is no part of one. */
  unsubscribe: z.string().optional(),
});

/** A silent mail server ends the attempt a little before the worker does. */
const silenceMs = 10_000;

/**
 * E-mail (RFC 5322) by the operator's SMTP server: text and HTML. The Message-ID is the same for all attempts. Each
 * attempt has a connection of its own.
 */
export function createEmail(settings: MailSettings): Channel {
  return {
    showsDay: true,
    canReply: false,
    compose: (notices) => ({
      subject: subjectOf(notices),
      text: textBody(notices),
      html: htmlBody(notices),
      thread: threadOf(notices),
    }),
    async send(sending, signal): Promise<AttemptOutcome> {
      const { smtpUrl, mailFrom } = settings;
      if (smtpUrl === undefined)
        return {
          kind: 'again',
          text: 'no mail server is set: an admin sets it on the page (Account, Mail and webhooks), or the operator by VANTAGE_SMTP_URL',
        };
      const domain = /@([A-Za-z0-9.-]+)>?$/.exec(mailFrom)?.[1] ?? 'localhost';
      // Loaded with the first mail: many systems send none.
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        url: smtpUrl,
        connectionTimeout: silenceMs,
        greetingTimeout: silenceMs,
        socketTimeout: silenceMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        await abortable(transport.sendMail({ from: mailFrom, ...mailOf(sending, domain) }), signal);
        return { kind: 'delivered', text: 'accepted by the mail server' };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        return outcomeOf(error, new URL(smtpUrl).hostname);
      } finally {
        transport.close();
      }
    },
  };
}

function mailOf({ id, to, message }: Sending, domain: string) {
  const { subject, text, html, thread, unsubscribe } = stored.parse(message);
  return {
    to: { name: '', address: to.address },
    subject: plain(subject),
    text,
    html,
    messageId: `<${id}@${domain}>`,
    ...threadHeaders(thread, domain),
    // RFC 3834 section 5, and the header that Exchange reads: no absence note is sent back.
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      // RFC 2919: people filter mail by it.
      'List-Id': `Vantage <vantage.${domain}>`,
      ...(unsubscribe !== undefined && {
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  };
}

/** All mails of one alert refer to the same id (RFC 5322 section 3.6.4), so that they form one thread. */
function threadHeaders(thread: string | null, domain: string) {
  if (thread === null) return {};
  const root = `<alert-${thread}@${domain}>`;
  return { inReplyTo: root, references: root };
}

function threadOf(notices: readonly Notice[]): string | null {
  const id = notices.length === 1 ? notices[0]?.data['alert_id'] : undefined;
  return typeof id === 'string' && /^[0-9a-f]{1,64}$/.test(id) ? id : null;
}

const smtpError = z.object({ responseCode: z.number(), command: z.string().optional() });

/** The server's own words are left out: they may repeat a login. */
function outcomeOf(error: unknown, host: string): AttemptOutcome {
  const reply = smtpError.safeParse(error).data;
  if (reply === undefined)
    return { kind: 'again', text: faultText(error, host), isUncertain: mayHaveArrived(error) };
  const at =
    reply.command === undefined || reply.command === 'CONN' ? '' : ` to ${reply.command.split(' ')[0]}`;
  const text = `${host} answered SMTP ${reply.responseCode}${at}`;
  // The mailbox does not exist, or a policy refuses it for now: both are 5xx (RFC 5321 section 4.2.1).
  const isRefused = reply.command === 'RCPT TO' && reply.responseCode >= 500;
  return { kind: isRefused ? 'refused' : 'again', text };
}

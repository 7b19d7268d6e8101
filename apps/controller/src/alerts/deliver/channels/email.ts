import { createTransport } from 'nodemailer';
import { z } from 'zod';
import { abortable } from '../abortable.ts';
import type { Outcome } from '../notification-state.ts';
import type { Channel, Notice, Sending } from './channel.ts';
import { htmlBody } from './email-html.ts';
import { subjectOf, textBody } from './email-text.ts';
import { plain } from './fact-text.ts';
import { faultText, mayHaveArrived } from './fault-text.ts';

/** The operator's mail server. */
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
  /** Where a reader ends the mails with one request (RFC 8058); absent: they are no subscription. */
  unsubscribe: z.string().optional(),
});

/** A silent mail server ends the attempt a little before the worker does. */
const silenceMs = 10_000;

/**
 * E-mail (RFC 5322) by the operator's SMTP server: text and HTML. The Message-ID is the same for all attempts. Each
 * attempt has a connection of its own.
 */
export function createEmail({ smtpUrl, mailFrom }: MailSettings): Channel {
  const domain = /@([A-Za-z0-9.-]+)>?$/.exec(mailFrom)?.[1] ?? 'localhost';
  return {
    showsDay: true,
    canReply: false,
    compose: (notices) => ({
      subject: subjectOf(notices),
      text: textBody(notices),
      html: htmlBody(notices),
      thread: threadOf(notices),
    }),
    async send(sending, signal): Promise<Outcome> {
      if (smtpUrl === undefined)
        return {
          kind: 'again',
          text: 'no mail server is set: start the controller with VANTAGE_SMTP_URL=smtp://user:password@host:587',
        };
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
    // RFC 3834 section 5, and the header that Exchange asks for: nobody's absence note comes back.
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      // RFC 2919: what people sort mail by.
      'List-Id': `Vantage <vantage.${domain}>`,
      ...(unsubscribe !== undefined && {
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  };
}

/** All mails of one alert answer the same id (RFC 5322 section 3.6.4), so that they stand in one thread. */
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
function outcomeOf(error: unknown, host: string): Outcome {
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

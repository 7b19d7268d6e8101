import { abortable } from '@vantage/kernel';
import { z } from 'zod';
import type { Outcome } from '../notification-state.ts';
import { answersOf, type MessageLink } from './answers.ts';
import type { Channel, DayPart, Notice, Sending } from './channel.ts';
import { faultText, mayHaveArrived, plain } from './fact-text.ts';
import { acknowledgeAllOf, countsOf, lineOf, subjectOf, worstFirst } from './headline.ts';

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

/** A mail names so many of a group; the rest is a number. */
const mostNamed = 50;

/**
 * Bytes of their lines: encoded for mail and escaped for HTML they stay below 90 kB, where Gmail cuts a mail at 102 kB.
 */
const mostBytes = 9_000;

/** The notices of a group that a mail names, the worst first. Pure. */
function namedInMail(notices: readonly Notice[]): readonly Notice[] {
  let left = mostBytes;
  return worstFirst(notices)
    .slice(0, mostNamed)
    .filter((notice) => {
      left -= Buffer.byteLength(lineOf(notice));
      return left >= 0;
    });
}

const marks: Readonly<Record<DayPart, string>> = { Up: '.', Down: '#', Maint: 'm', Unknown: '?' };

/** The message as plain text. */
export function textBody(notices: readonly Notice[]): string {
  const [only, ...more] = notices;
  if (only === undefined) return '';
  const lines = more.length === 0 ? singleText(only) : groupText(notices);
  return `${lines.join('\n')}\n`;
}

function groupText(notices: readonly Notice[]): readonly string[] {
  const all = acknowledgeAllOf(notices);
  const named = namedInMail(notices);
  const lines = named.flatMap((notice) => [
    lineOf(notice),
    ...(all === undefined && notice.links !== null ? [`  Acknowledge: ${notice.links.acknowledge}`] : []),
  ]);
  const act = all === undefined ? [] : [`Acknowledge all: ${all}`, ''];
  return [`${countsOf(notices)}.`, '', ...act, ...lines, ...restOf(notices.length - named.length, all)];
}

/** The last line of a group that is longer than a mail names: a number, and where the others are. */
function restOf(rest: number, all: string | undefined): readonly string[] {
  if (rest <= 0) return [];
  return [`and ${rest} more${all === undefined ? '' : `; the page names them: ${all}`}`];
}

function singleText(notice: Notice): readonly string[] {
  const { headline, lines, links } = answersOf(notice);
  const day = notice.day === null ? [] : ['', dayCaption, notice.day.map((part) => marks[part]).join('')];
  return [
    headline,
    '',
    ...lines.map(({ label, text }) => `${label}: ${text}`),
    ...(links.length === 0 ? [] : ['', ...links.map(({ label, url }) => `${label}: ${url}`)]),
    ...day,
  ];
}

/** The caption of the picture of a day. */
const dayCaption = 'The last 24 hours (. Up, # Down, m maintenance, ? unknown):';

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

const colours: Readonly<Record<DayPart, string>> = {
  Up: '#2e7d32',
  Down: '#c62828',
  Maint: '#1565c0',
  Unknown: '#9e9e9e',
};

const names: Readonly<Record<DayPart, string>> = {
  Up: 'Up',
  Down: 'Down',
  Maint: 'maintenance',
  Unknown: 'unknown',
};

const font = 'font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:20px;color:#1b1b1b';

/**
 * The message as HTML: tables and inline styles only, nothing is loaded. The day is a table of coloured cells and not
 * an image, because every mail program shows it at once, also those that hide images, and no attachment is needed.
 */
export function htmlBody(notices: readonly Notice[]): string {
  const [only, ...more] = notices;
  const content = only === undefined ? '' : more.length === 0 ? single(only) : several(notices);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${escaped(subjectOf(notices))}</title></head>
<body style="margin:0;padding:16px;background-color:#ffffff"><main><table role="presentation" cellpadding="0" cellspacing="0" style="max-width:640px;${font}">
${content}
</table></main></body></html>
`;
}

function head(text: string): string {
  return `<h1 style="margin:0;font-size:18px;line-height:24px">${escaped(text)}</h1>`;
}

function single(notice: Notice): string {
  const colour = colourOf(notice.kind);
  const { headline, lines, links } = answersOf(notice);
  const facts = lines.map(
    ({ label, text }) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#5f5f5f;vertical-align:top;white-space:nowrap">${escaped(label)}</td><td style="padding:2px 0;word-break:break-word">${escaped(text)}</td></tr>`,
  );
  return [
    `<tr><td style="border-left:4px solid ${colour};padding:4px 12px">${head(headline)}</td></tr>`,
    `<tr><td style="padding:16px 0"><table role="presentation" cellpadding="0" cellspacing="0" style="${font}">${facts.join('')}</table></td></tr>`,
    ...(links.length === 0
      ? []
      : [`<tr><td style="padding:0 0 16px">${links.map(button).join('')}</td></tr>`]),
    ...(notice.day === null ? [] : [dayRow(notice.day)]),
  ].join('\n');
}

function several(notices: readonly Notice[]): string {
  const all = acknowledgeAllOf(notices);
  const named = namedInMail(notices);
  const rows = named.map((notice) => {
    const link =
      notice.links === null ? '' : ` &middot; <a href="${escaped(notice.links.acknowledge)}">Acknowledge</a>`;
    return `<tr><td style="border-left:4px solid ${colourOf(notice.kind)};padding:3px 12px">${escaped(lineOf(notice))}${link}</td></tr>`;
  });
  const title = `<tr><td style="padding:4px 0 12px">${head(countsOf(notices))}</td></tr>`;
  const act =
    all === undefined
      ? []
      : [`<tr><td style="padding:0 0 12px">${button({ url: all, label: 'Acknowledge all' })}</td></tr>`];
  return [title, ...act, ...rows, ...restRow(notices.length - named.length, all)].join('\n');
}

/** A group that is longer than a mail names ends with a number, and with where the others are. */
function restRow(rest: number, all: string | undefined): readonly string[] {
  if (rest <= 0) return [];
  const page = all === undefined ? '' : `; <a href="${escaped(all)}">the page names them</a>`;
  return [`<tr><td style="padding:8px 12px">and ${rest} more${page}</td></tr>`];
}

function button({ label, url }: MessageLink): string {
  return `<a href="${escaped(url)}" style="display:inline-block;padding:8px 16px;margin-right:8px;border:1px solid #1565c0;border-radius:4px;color:#1565c0;text-decoration:none">${escaped(label)}</a>`;
}

function dayRow(day: readonly DayPart[]): string {
  const cells = runsOf(day).map(
    ({ part, length }) =>
      `<td colspan="${length}" title="${names[part]}" bgcolor="${colours[part]}" style="background-color:${colours[part]};height:20px;font-size:1px;line-height:1px">&nbsp;</td>`,
  );
  const legend = [...new Set(day)].map(
    (part) => `<span style="color:${colours[part]}">&#9632;</span> ${names[part]}`,
  );
  const columns = day
    .map(() => `<td style="width:${(100 / day.length).toFixed(3)}%;height:0;line-height:0;font-size:0"></td>`)
    .join('');
  return `<tr><td style="padding:0 0 12px"><div style="color:#5f5f5f">The last 24 hours</div>
<table role="presentation" cellpadding="0" cellspacing="0" width="100%" style="table-layout:fixed;width:100%"><tr>${columns}</tr><tr>${cells.join('')}</tr></table>
<div style="font-size:12px;color:#5f5f5f">${legend.join(' &nbsp; ')}</div></td></tr>`;
}

/** Equal neighbours as one. */
function runsOf(day: readonly DayPart[]): readonly { part: DayPart; length: number }[] {
  const runs: { part: DayPart; length: number }[] = [];
  for (const part of day) {
    const last = runs.at(-1);
    if (last?.part === part) last.length += 1;
    else runs.push({ part, length: 1 });
  }
  return runs;
}

function colourOf(kind: string): string {
  if (/\.(?:down|offline|fenced|failing)$/.test(kind)) return colours.Down;
  if (/\.(?:up|online)$/.test(kind)) return colours.Up;
  return '#ef6c00';
}

/** Text as HTML, also inside of an attribute. */
function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

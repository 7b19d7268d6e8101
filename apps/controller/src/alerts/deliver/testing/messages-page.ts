import { type ContactType, contactTypeNames, contactTypes } from '@vantage/alerts';
import type { Json } from '@vantage/domain';
import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { z } from 'zod';
import type { ComposedMessage, Notice } from '../../channels/channel.ts';
import { createChannels } from '../../channels/channel-registry.ts';
import { smsSize } from '../../channels/sms-parts.ts';
import type { MessageSample } from './message-sample.ts';
import { messageSamples } from './message-samples.ts';

/** A contact of each type at a receiver on loopback; `base` is its `http://host:port`. */
const contacts: Readonly<
  Record<
    ContactType,
    { readonly name: string; readonly address: (base: string) => string; readonly options?: object }
  >
> = {
  email: { name: 'E-mail', address: () => 'noc@example.org' },
  sms: { name: 'SMS', address: (base) => base, options: { To: '+4712345678' } },
  slack: { name: 'Slack', address: (base) => `${base}/services/T/B/X` },
  teams: { name: 'Teams', address: (base) => base },
  telegram: { name: 'Telegram', address: () => '-1001234567890' },
  ntfy: { name: 'ntfy', address: (base) => `${base}/topic` },
  gotify: { name: 'Gotify', address: (base) => base },
  matrix: { name: 'Matrix', address: (base) => `${base}/!room:example.org` },
  mattermost: { name: 'Mattermost', address: (base) => `${base}/hooks/X` },
  discord: { name: 'Discord', address: (base) => `${base}/api/webhooks/0/X` },
  rocketchat: { name: 'Rocket.Chat', address: (base) => `${base}/hooks/0/X` },
  signal: { name: 'Signal', address: (base) => `${base}/?number=%2B47&to=%2B47` },
  pushover: { name: 'Pushover', address: (base) => `${base}/1/messages.json?user_key=USER` },
  zulip: {
    name: 'Zulip',
    address: (base) => `${base.replace('://', '://bot:KEY@')}/?to=alerts&topic=Vantage`,
  },
  pagerduty: { name: 'PagerDuty', address: (base) => base },
  jsm: { name: 'Jira Service Management', address: (base) => base },
  opsgenie: { name: 'Opsgenie', address: (base) => base },
  servicenow: { name: 'ServiceNow', address: (base) => base },
  alertmanager: { name: 'Alertmanager', address: (base) => base },
  webhook: { name: 'Webhook', address: (base) => base },
  template: {
    name: 'Template (`{{Title}}`, then `{{Text}}`)',
    address: (base) => base,
    options: {
      ContentType: 'text/plain',
      Body: '{{Title}}\n\n{{Text}}',
    },
  },
};

const head = `# Messages

Each message as each channel sends it. A test makes this page (\`npm run gen:docs\`) by sending the samples of
\`apps/controller/src/alerts/deliver/testing/message-samples.ts\` to receivers that keep what they get; never edit it.
Channels that send the same stand together. JSON and forms are shown as \`name: value\`, without receivers, credentials and fields that are always the same; of e-mails
the text is shown, the HTML has the same lines, buttons instead of links, and the last 24 hours of the device. [alerts.md](../alerts.md#what-a-message-says) explains the lines.
`;

/** docs/gen/messages.md. */
export async function messagesPage(): Promise<string> {
  await using receiver = await startFakeReceiver((response) => void response.writeHead(200).end('{}'));
  const base = new URL(receiver.url).origin;
  const settings = { allowPrivate: true, smtpUrl: undefined, mailFrom: 'Vantage <vantage@example.org>' };
  const channels = createChannels({ ...settings, telegramUrl: base });

  const sent = async (type: ContactType, notices: readonly Notice[]): Promise<string> => {
    const { address, options } = contacts[type];
    const to = { name: 'noc', address: address(base), secret: 'KEY', previousSecret: null };
    const message = channels[type].compose(notices, options ?? null);
    if (type === 'email') return mailText(message);
    const sending = { id: 'e1'.repeat(24), message, to, nowUs: 1_795_000_000_000_000 };
    const outcome = await channels[type].send(sending, AbortSignal.timeout(10_000));
    if (outcome.kind !== 'delivered') throw new Error(`${type}: ${outcome.text}`);
    return bodyText(type, receiver.requests.at(-1)?.body ?? '');
  };

  const sections: string[] = [];
  for (const sample of messageSamples) {
    const shown: { readonly type: ContactType; readonly text: string }[] = [];
    for (const type of typesFor(sample)) shown.push({ type, text: await sent(type, sample.notices) });
    sections.push(sectionOf(sample, shown));
  }
  return [head, ...sections].join('\n');
}

/** Some messages go to some types of contacts only. */
function typesFor({ notices }: MessageSample): readonly ContactType[] {
  const [first] = notices;
  return Object.keys(contacts)
    .flatMap((name) => contactTypeNames.find((type) => type === name) ?? [])
    .filter((type) => {
      const rules = contactTypes[type];
      if (notices.length > 1) return !rules.isPerEvent;
      return first?.kind === 'closed' ? rules.waitsForEnd === true : true;
    });
}

function sectionOf(
  { title, when, notices }: MessageSample,
  shown: readonly { readonly type: ContactType; readonly text: string }[],
): string {
  const blocks = [...Map.groupBy(shown, ({ text }) => text)].map(([text, of]) => {
    const names = of.map(({ type }) => contacts[type].name).join(', ');
    return `### ${names}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
  });
  const only =
    notices.length > 1
      ? ' Systems that keep incidents, webhooks and templates get one message for each event.'
      : notices[0]?.kind === 'closed'
        ? ' Only systems that keep incidents get it.'
        : '';
  return [`## ${title}\n\n${when}${only}\n`, ...blocks].join('\n');
}

const mail = z.object({ subject: z.string(), text: z.string() });

/** The parts that the channel gives to the mail program as they are. */
function mailText(message: ComposedMessage): string {
  const { subject, text } = mail.parse(message);
  return `Subject: ${subject}\n\n${text.trimEnd()}`;
}

const sms = z.object({ text: z.string() });

function bodyText(type: ContactType, body: string): string {
  if (type === 'template') return body;
  const value =
    body.startsWith('{') || body.startsWith('[')
      ? z.json().parse(JSON.parse(body))
      : Object.fromEntries(new URLSearchParams(body));
  if (type !== 'sms') return linesOf(value, '').join('\n');
  const { text } = sms.parse(value);
  // The page shortens links; a signed one has 84 characters.
  const { alphabet, units, parts } = smsSize(text.replace(/acknowledge…$/, 'x'.repeat(84)));
  return `${text}\n\n(${units} units of ${alphabet}, ${parts} ${parts === 1 ? 'part' : 'parts'})`;
}

/** Names of fields that say nothing about the message. */
const leftOut: ReadonlySet<string> = new Set([
  '$schema',
  'type',
  'version',
  'contentType',
  'contentUrl',
  'emoji',
  'action_id',
  'mrkdwn',
  'parseUrls',
  'unfurl_links',
  'unfurl_media',
  'link_preview_options',
  'allowed_mentions',
  'msgtype',
  'weight',
  'size',
  'routing_key',
  'token',
  'user',
  'chat_id',
  'number',
  'recipients',
  'topic',
  'to',
]);

/** A value as lines of `name: value`; a text of several lines is indented. */
function linesOf(value: Json, indent: string): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((each) => {
      const [first = '', ...rest] = linesOf(each, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  if (typeof value !== 'object' || value === null) return [`${indent}${scalar(value, indent)}`];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (leftOut.has(name)) return [];
    if (typeof inner !== 'object' || inner === null) return [`${indent}${name}: ${scalar(inner, indent)}`];
    const lines = linesOf(inner, `${indent}  `);
    return lines.length === 0 ? [`${indent}${name}: (empty)`] : [`${indent}${name}:`, ...lines];
  });
}

function scalar(value: string | number | boolean | null, indent: string): string {
  const text = String(value);
  return text.includes('\n') ? `\n${indent}  ${text.replaceAll('\n', `\n${indent}  `)}` : text;
}

import { z } from 'zod';
import type { Mail } from './fake-mail-server.ts';
import { messagesOf } from './mail-content.ts';
import type { Received } from './receivers.ts';

/** One message that a receiver accepted, read by the public form of its service. */
export interface ServiceMessage {
  readonly contact: string;
  /** The kind of a message for people or programs (`device.down`), or what becomes of an incident. */
  readonly what: string;
  readonly about: string;
  /** The incident; '' where the service keeps none. */
  readonly key: string;
  readonly id: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** The state of an incident at a service that keeps incidents. */
export const incident = {
  opens: 'incident.opens',
  acknowledged: 'incident.acknowledged',
  ends: 'incident.ends',
};

const webhook = z.looseObject({
  type: z.string(),
  data: z.looseObject({
    ShortName: z.string().nullish(),
    Name: z.string().nullish(),
    Contact: z.string().nullish(),
    Location: z.string().nullish(),
  }),
});
const pagerDuty = z.looseObject({
  event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
  dedup_key: z.string(),
  payload: z.looseObject({ source: z.string() }).optional(),
});
const alertmanager = z.tuple([
  z.looseObject({
    labels: z.looseObject({ alert_id: z.string() }),
    annotations: z.looseObject({ summary: z.string() }),
    startsAt: z.string(),
    endsAt: z.string().optional(),
  }),
]);
const jsm = z.looseObject({ alias: z.string().optional(), entity: z.string().optional() });
const slack = z.looseObject({
  text: z.string(),
  attachments: z
    .array(
      z.looseObject({
        blocks: z.array(z.looseObject({ text: z.looseObject({ text: z.string() }).optional() })),
      }),
    )
    .default([]),
});
const ntfy = z.looseObject({ title: z.string(), message: z.string() });

const pagerDutyActions = {
  trigger: incident.opens,
  acknowledge: incident.acknowledged,
  resolve: incident.ends,
};
const jsmActions: Readonly<Record<string, string>> = {
  acknowledge: incident.acknowledged,
  close: incident.ends,
};

/** The content of one request; `about` is '' where the service learned it when the incident opened. */
type Said = Pick<ServiceMessage, 'what' | 'about' | 'key'>;

/** A message of a chat as an e-mail with the same words. */
const inWords = (text: string): Said[] => {
  const [subject = ''] = text.split('\n');
  return messagesOf({ subject, text }).map((message) => {
    const [what = '', ...about] = message.split(' ');
    return { what, about: about.join(' '), key: '' };
  });
};

/** The text and the blocks below it. */
function slackText(body: string): string {
  const { text, attachments } = slack.parse(JSON.parse(body));
  const blocks = attachments.flatMap((attachment) =>
    attachment.blocks.map((block) => block.text?.text ?? ''),
  );
  return [text, ...blocks].join('\n');
}

function readJsm({ text, path }: Received): Said[] {
  const { alias, entity } = jsm.parse(JSON.parse(text));
  const [, ofPath = '', action = ''] = /\/([0-9a-f]+)\/(acknowledge|close)\?/.exec(path) ?? [];
  return [{ what: jsmActions[action] ?? incident.opens, about: entity ?? '', key: alias ?? ofPath }];
}

const readers: Readonly<Record<string, (received: Received) => Said[]>> = {
  webhook: ({ text }) => {
    const { type, data } = webhook.parse(JSON.parse(text));
    return [
      { what: type, about: data.ShortName ?? data.Name ?? data.Contact ?? data.Location ?? '', key: '' },
    ];
  },
  pagerduty: ({ text }) => {
    const { event_action, dedup_key: key, payload } = pagerDuty.parse(JSON.parse(text));
    return [{ what: pagerDutyActions[event_action], about: payload?.source ?? '', key }];
  },
  // The Alertmanager shows an alert as resolved once its endsAt has passed.
  alertmanager: ({ text, atMs }) => {
    const [{ labels, annotations, endsAt }] = alertmanager.parse(JSON.parse(text));
    const isOver = endsAt !== undefined && Date.parse(endsAt) <= atMs;
    const [said] = inWords(annotations.summary);
    return [
      { what: isOver ? incident.ends : incident.opens, about: said?.about ?? '', key: labels.alert_id },
    ];
  },
  jsm: (received) => readJsm(received),
  opsgenie: (received) => readJsm(received),
  slack: ({ text }) => inWords(slackText(text)),
  sms: ({ text }) => inWords(slack.parse(JSON.parse(text)).text),
  ntfy: ({ text }) => {
    const { title, message } = ntfy.parse(JSON.parse(text));
    return inWords(`${title}\n${message}`);
  },
};

/**
 * The messages that the services accepted, in the order of arrival. `typeOf` gives the type of a contact by its name. A
 * request that its service could not read is one message `unreadable`.
 */
export function serviceMessages(
  all: readonly Received[],
  typeOf: ReadonlyMap<string, string>,
): ServiceMessage[] {
  const names = new Map<string, string>();
  return all
    .filter(({ status }) => status >= 200 && status < 300)
    .flatMap((received) => {
      const { contact, id, text, atMs } = received;
      return saidBy(received, readers[typeOf.get(contact) ?? '']).map(({ what, about, key }) => {
        const name = names.get(`${contact} ${key}`) ?? about;
        if (key !== '') names.set(`${contact} ${key}`, name);
        return { contact, what, about: name, key, id, text, atMs };
      });
    });
}

function saidBy(received: Received, read: ((received: Received) => Said[]) | undefined): Said[] {
  if (read === undefined) return [];
  try {
    return read(received).filter(({ what }) => what !== 'test');
  } catch {
    return [{ what: 'unreadable', about: received.text.slice(0, 100), key: '' }];
  }
}

/**
 * The messages in e-mails to other addresses than the one of the contact `mail`, by the part of the address before the
 * @.
 */
export function mailMessages(mails: readonly Mail[]): ServiceMessage[] {
  return mails.flatMap((mail) =>
    messagesOf(mail)
      .filter((message) => message !== 'test Test')
      .map((message) => {
        const [what = '', ...about] = message.split(' ');
        const [contact = ''] = mail.to.split('@');
        return {
          contact,
          what,
          about: about.join(' '),
          key: '',
          id: mail.messageId,
          text: mail.text,
          atMs: mail.atMs,
        };
      }),
  );
}

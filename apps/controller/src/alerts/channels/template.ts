import {
  type BodyType,
  bodyTypes,
  defaultBodyType,
  escapeFor,
  factNames,
  fillTemplate,
  type TemplateName,
} from '@vantage/alerts';
import { z } from 'zod';
import type { Channel, Notice, Sending } from './channel.ts';
import { chatText, joined } from './chat-text.ts';
import { factText } from './fact-text.ts';
import { type ChannelRequest, createHttpChannel, type HttpChannelSettings } from './http-channel.ts';
import { incidentOf } from './incident.ts';

/** The Options of contacts whose body is a template. Another version may have stored them without some fields. */
const options = z.object({
  To: z.string().default(''),
  Body: z.string().optional(),
  ContentType: z.enum(bodyTypes).default(defaultBodyType),
  SecretHeader: z.string().optional(),
});

const late = z.enum(['Secret', 'Acknowledge', 'Snooze', 'Details']);
const stored = z.object({
  type: z.enum(bodyTypes),
  parts: z.array(z.union([z.object({ text: z.string() }), z.object({ late })])),
  /** Placeholders of signed links, which each attempt fills. */
  links: z.object({ Acknowledge: z.string(), Snooze: z.string(), Details: z.string().default('') }),
  secretHeader: z.string().nullable(),
});

/** The value of `{{Text}}`. */
export interface TemplateText {
  readonly text: string;
  /** The link to acknowledge follows the text, unless the body has a placeholder for it. */
  readonly hasLink: boolean;
}

/** Composes a body by the contact's template. The secret and the signed links are filled when it is sent. Pure. */
export function composeTemplate(
  notices: readonly Notice[],
  given: unknown,
  how: TemplateText & { readonly defaultBody: string },
) {
  const { To, Body = how.defaultBody, ContentType, SecretHeader } = options.parse(given ?? {});
  const [first] = notices;
  const known: ReadonlyMap<TemplateName, string> = new Map<TemplateName, string>([
    ['Kind', first?.kind ?? ''],
    ['Title', first === undefined ? '' : incidentOf(first).title],
    ['Text', how.text],
    ['Timestamp', first?.timestamp ?? ''],
    ['To', To],
    ...factNames.map((name): [TemplateName, string] => [name, factText(first?.data[name]) ?? '']),
  ]);
  const body = how.hasLink && !Body.includes('{{Acknowledge}}') ? withLink(Body, ContentType) : Body;
  const parts = fillTemplate(body, ContentType, (name) => known.get(name) ?? '');
  const hasSecretPlaceholder = parts.some((part) => 'late' in part && part.late === 'Secret');
  const links = notices.length === 1 ? first?.links : null;
  return {
    type: ContentType,
    parts: parts.map((part) => ({ ...part })),
    links: {
      Acknowledge: links?.acknowledge ?? '',
      Snooze: links?.snooze ?? '',
      Details: links?.details ?? '',
    },
    secretHeader: SecretHeader ?? (hasSecretPlaceholder ? null : 'Authorization'),
  };
}

function withLink(body: string, type: BodyType): string {
  return body.replaceAll('{{Text}}', `{{Text}}${escapeFor(type, ' Acknowledge: ')}{{Acknowledge}}`);
}

/** The request of a composed body. */
export function requestOfTemplate({ message, to }: Sending): ChannelRequest {
  const { type, parts, links, secretHeader } = stored.parse(message);
  const filled = { ...links, Secret: to.secret ?? '' };
  const body = parts.map((part) => ('text' in part ? part.text : escapeFor(type, filled[part.late])));
  return {
    url: new URL(to.address),
    headers: {
      'Content-Type': typeHeader(type),
      ...(to.secret === null || secretHeader === null ? {} : { [secretHeader]: to.secret }),
    },
    body: body.join(''),
  };
}

function typeHeader(type: BodyType): string {
  return type === 'text/plain' || type === 'application/xml' ? `${type}; charset=utf-8` : type;
}

const maxTextLength = 4_000;

/** A webhook with a body of the contact's own, for systems that require their own format. One message per event. */
export function createTemplate(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices, options) =>
      composeTemplate(notices, options, { text: textOf(notices), hasLink: false, defaultBody: '' }),
    requestOf: requestOfTemplate,
    gone: [410],
  });
}

/** The text without links: links have placeholders of their own, which are escaped for the type of the body. */
function textOf(notices: readonly Notice[]): string {
  return joined({ ...chatText(notices, maxTextLength), links: [] });
}

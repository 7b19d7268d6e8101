import type { Channel, Notice } from './channel.ts';
import { chatText, joined } from './chat-text.ts';
import { subjectOf } from './email-text.ts';
import { createHttpChannel, type HttpSettings } from './http-channel.ts';
import { composeTemplate, requestOfTemplate } from './templated.ts';

/** Three parts of an SMS that carries one (3GPP TS 23.040: 153 characters each). */
const longestText = 459;

/** The body of gateways that take JSON with a number and a text. */
const defaultBody = '{"to": "{{To}}", "text": "{{Text}}"}';

/**
 * SMS by the HTTP interface of a gateway: a POST whose body is the contact's template. A message names the device, the result and the time,
 * or as many devices as three parts of an SMS hold.
 */
export function createSms(settings: HttpSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices, options) => composeTemplate(notices, options, { text: textOf(notices), defaultBody }),
    requestOf: requestOfTemplate,
    gone: [400, 401, 403, 404, 410],
  });
}

function textOf(notices: readonly Notice[]): string {
  const [only, ...more] = notices;
  if (only === undefined || more.length > 0) return joined(chatText(notices, longestText));
  return `${subjectOf(notices)} (${only.timestamp})`;
}

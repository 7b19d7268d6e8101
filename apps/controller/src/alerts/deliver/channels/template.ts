import type { Channel, Notice } from './channel.ts';
import { chatText, joined } from './chat-text.ts';
import { createHttpChannel, type HttpSettings } from './http-channel.ts';
import { composeTemplate, requestOfTemplate } from './templated.ts';

const longestText = 4_000;

/** A webhook with a body of the contact's own, for systems that want theirs. One message an event. */
export function createTemplate(settings: HttpSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices, options) =>
      composeTemplate(notices, options, { text: textOf(notices), hasLink: false, defaultBody: '' }),
    requestOf: requestOfTemplate,
    gone: [410],
  });
}

/** Without links: they have places of their own, which the type of the body escapes. */
function textOf(notices: readonly Notice[]): string {
  return joined({ ...chatText(notices, longestText), links: [] });
}

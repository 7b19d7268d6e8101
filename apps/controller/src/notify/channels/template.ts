import type { Channel } from './channel.ts';
import { chatText, joined } from './chat-text.ts';
import { createHttpChannel, type HttpSettings } from './http-channel.ts';
import { composeTemplate, requestOfTemplate } from './templated.ts';

const longestText = 4_000;

/** A webhook with a body of the contact's own, for systems that want theirs. One message an event. */
export function createTemplate(settings: HttpSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices, options) =>
      composeTemplate(notices, options, { text: joined(chatText(notices, longestText)), defaultBody: '' }),
    requestOf: requestOfTemplate,
    gone: [410],
  });
}

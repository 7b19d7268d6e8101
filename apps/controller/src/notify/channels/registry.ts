import type { ContactType } from '@vantage/alerts';
import type { Channel } from './channel.ts';
import { createEmail, type MailSettings } from './email.ts';
import { createWebhook } from './webhook.ts';

/** The channel of each type of contact. */
export type Channels = Readonly<Record<ContactType, Channel>>;

/** What the operator set for the channels. */
export interface ChannelSettings extends MailSettings {
  /** Webhooks may go to private addresses, and by plain HTTP. */
  readonly allowPrivate: boolean;
}

/** THE registry of channels. A new type of contact is a line here, and the compiler asks for it. */
export function createChannels(settings: ChannelSettings): Channels {
  return {
    email: createEmail(settings),
    webhook: createWebhook(settings),
  };
}

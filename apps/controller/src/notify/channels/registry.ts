import type { ContactType } from '@vantage/alerts';
import { createAlertmanager } from './alertmanager.ts';
import type { Channel } from './channel.ts';
import { createEmail, type MailSettings } from './email.ts';
import { createJsm } from './jsm.ts';
import { createNtfy } from './ntfy.ts';
import { createPagerDuty } from './pagerduty.ts';
import { createSlack } from './slack.ts';
import { createSms } from './sms.ts';
import { createTeams } from './teams.ts';
import { createTelegram, type TelegramSettings } from './telegram.ts';
import { createTemplate } from './template.ts';
import { createWebhook } from './webhook.ts';

/** The channel of each type of contact. */
export type Channels = Readonly<Record<ContactType, Channel>>;

/** What the operator set for the channels. */
export interface ChannelSettings extends MailSettings, TelegramSettings {}

/** THE registry of channels. A new type of contact is a line here, and the compiler asks for it. */
export function createChannels(settings: ChannelSettings): Channels {
  return {
    email: createEmail(settings),
    webhook: createWebhook(settings),
    slack: createSlack(settings),
    teams: createTeams(settings),
    pagerduty: createPagerDuty(settings),
    jsm: createJsm(settings),
    alertmanager: createAlertmanager(settings),
    ntfy: createNtfy(settings),
    telegram: createTelegram(settings),
    sms: createSms(settings),
    template: createTemplate(settings),
  };
}

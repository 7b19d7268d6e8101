import type { ContactType } from '@vantage/alerts';
import { createAlertmanager } from './alertmanager.ts';
import type { Channel } from './channel.ts';
import { createDiscord } from './discord.ts';
import { createEmail, type MailSettings } from './email.ts';
import { createGotify } from './gotify.ts';
import { createJsm } from './jsm.ts';
import { createMatrix } from './matrix.ts';
import { createMattermost } from './mattermost.ts';
import { createNtfy } from './ntfy.ts';
import { createPagerDuty } from './pagerduty.ts';
import { createPushover } from './pushover.ts';
import { createRocketChat } from './rocketchat.ts';
import { createServiceNow } from './servicenow.ts';
import { createSignal } from './signal.ts';
import { createSlack } from './slack.ts';
import { createSms } from './sms.ts';
import { createTeams } from './teams.ts';
import { createTelegram, type TelegramSettings } from './telegram.ts';
import { createTemplate } from './template.ts';
import { createWebhook } from './webhook.ts';
import { createZulip } from './zulip.ts';

/** The channel of each type of contact. */
export type Channels = Readonly<Record<ContactType, Channel>>;

/** The operator's settings for the channels. */
export interface ChannelSettings extends MailSettings, TelegramSettings {}

/** THE registry of channels. A new type of contact is a line here; the compiler reports a missing one. */
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
    discord: createDiscord(settings),
    gotify: createGotify(settings),
    matrix: createMatrix(settings),
    mattermost: createMattermost(settings),
    // Opsgenie's alert API is the one of Jira Service Management, at another address.
    opsgenie: createJsm(settings),
    pushover: createPushover(settings),
    rocketchat: createRocketChat(settings),
    servicenow: createServiceNow(settings),
    signal: createSignal(settings),
    zulip: createZulip(settings),
  };
}

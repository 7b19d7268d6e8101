import { type Clock, type Logger, newId } from '@vantage/kernel';
import type { OuterRoute } from '@vantage/rest-kit/outer-routes';
import type { Database, Tables } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import type { Kysely } from 'kysely';
import type { TimeScale } from '../../config/time-scale.ts';
import { type ChannelSettings, createChannels } from '../channels/channel-registry.ts';
import { testMail } from '../channels/test-mail.ts';
import type { EventSource } from './account-events.ts';
import type { AttemptDeps } from './attempt.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { readDay, type UptimeParts } from './device-day.ts';
import { runHooks } from './hooks/deliver-hooks.ts';
import { type LinkActions, linkRoutes } from './link-routes.ts';
import { createLinks, linkLifeUs } from './links.ts';
import { insertAddressMail } from './mails/insert-mails.ts';
import { sendMails } from './mails/send-mails.ts';
import { runPageMails } from './page-mails/run-page-mails.ts';
import { createSubscriptionLinks } from './page-mails/subscription-links.ts';
import { createSubscriptions, type PageSubscriptions } from './page-mails/subscriptions.ts';
import type { OnFailed } from './record-attempt.ts';
import { releaseMails } from './release-notifications.ts';
import { type ReportMailDeps, runReportMails } from './report-mails/run-report-mails.ts';
import { sendTest, type TestResult } from './send-test.ts';

export interface NotifyDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sealer: Sealer;
  readonly timeScale: TimeScale;
  readonly settings: ChannelSettings;
  /** The start of links in messages, without a trailing slash. Known when the ports are open. */
  readonly baseUrl: () => string;
  readonly uptimeParts: UptimeParts;
  readonly onFailed: OnFailed;
  readonly events: EventSource;
  readonly reports: Pick<ReportMailDeps, 'readFigures' | 'rollUps'>;
  /** False while the controller's clock may be wrong: nothing is given up for its age then. */
  readonly mayGiveUp?: () => boolean;
}

/** The step that delivers notifications, and events to hooks. */
interface Notify extends Deliveries {
  /** Delivers events to hooks until the signal aborts. */
  runHooks(signal: AbortSignal): Promise<void>;
  /** Stores and sends the mails of status pages and monthly reports until the signal aborts. */
  runMails(signal: AbortSignal): Promise<void>;
  /** The pages behind the links of messages. */
  pages(actions: LinkActions): readonly OuterRoute[];
  /** The parts that the REST API needs. */
  readonly forApi: {
    /** Sends a test message to a contact once, now; undefined when the contact does not exist. */
    sendTest(contactNo: number, signal: AbortSignal): Promise<TestResult | undefined>;
    /** Subscriptions of status pages; undefined: there is no mail server now. */
    readonly subscriptions: () => PageSubscriptions | undefined;
    /** Stores a mail to a person in the transaction of a change; undefined: there is no mail server now. */
    readonly mailPerson: () => StorePersonMail | undefined;
    /** Mails that were tried in vain are tried again, in the transaction that changes the mail server. */
    readonly onMailServer: (trx: Kysely<Tables>) => Promise<void>;
    readonly testMail: typeof testMail;
  };
}

/** Stores a mail to this address. */
type StorePersonMail = (
  trx: Kysely<Tables>,
  mail: {
    readonly accountNo: number;
    readonly address: string;
    readonly subject: string;
    readonly body: string;
    readonly replaces?: true;
  },
) => Promise<void>;

/** Creates the step. */
export function createNotify(deps: NotifyDeps): Notify {
  const { db, clock, log, sealer, timeScale, settings, baseUrl, uptimeParts, onFailed } = deps;
  const links = createLinks(sealer.deriveKeys('links of messages'));
  const channels = createChannels(settings);
  const subscribing = createSubscriptionLinks(sealer.deriveKeys('subscriptions of status pages'));
  const attempts: AttemptDeps = {
    clock,
    sealer,
    linkOf: ({ firstAttemptUs, ...link }) =>
      `${baseUrl()}/links/${links.sign({ ...link, expiresUs: firstAttemptUs + linkLifeUs })}`,
  };
  const deliveries = createDeliveries({
    ...attempts,
    db,
    log,
    timeScale,
    onFailed,
    channels,
    newToken: newId,
    mayGiveUp: () => deps.mayGiveUp?.() ?? true,
    readDay: (deviceId, nowUs) => readDay(db.kysely, { deviceId, nowUs }, uptimeParts),
  });
  const hooks = {
    db,
    clock,
    log,
    sealer,
    timeScale,
    channel: channels.webhook,
    events: deps.events,
    mayGiveUp: () => deps.mayGiveUp?.() ?? true,
  };
  const subscriptions = createSubscriptions({ db, clock, links: subscribing });
  const mailPerson: StorePersonMail = (trx, mail) =>
    insertAddressMail(trx, { ...mail, nowUs: clock.nowUs() });
  return Object.assign(deliveries, {
    runHooks: (signal: AbortSignal) => runHooks(hooks, signal),
    async runMails(signal: AbortSignal) {
      await Promise.all([
        runPageMails(hooks, signal),
        runReportMails({ ...hooks, ...deps.reports, baseUrl, mayEndMonth: hooks.mayGiveUp }, signal),
        sendMails({ ...hooks, channel: channels.email, baseUrl, links: subscribing }, signal),
      ]);
    },
    pages: (actions: LinkActions) => linkRoutes({ db, clock, links, actions }),
    forApi: {
      sendTest: (contactNo: number, signal: AbortSignal) =>
        sendTest({ ...attempts, db, channels }, contactNo, signal),
      // Without a mail server no subscriber could confirm.
      subscriptions: () => (settings.smtpUrl === undefined ? undefined : subscriptions),
      mailPerson: () => (settings.smtpUrl === undefined ? undefined : mailPerson),
      onMailServer: (trx: Kysely<Tables>) => releaseMails(trx, clock.nowUs()),
      testMail,
    },
  });
}

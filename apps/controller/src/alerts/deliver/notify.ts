import { minuteUs } from '@vantage/domain';
import { type Clock, type Logger, newId } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { TimeScale } from '../../platform/config/time-scale.ts';
import type { Db, Tables } from '../../platform/db/index.ts';
import type { Sealer } from '../../platform/secrets/seal.ts';
import type { OuterRoute } from '../../rest/http/outer-routes.ts';
import type { AttemptDeps } from './attempt.ts';
import type { DayPart } from './channels/channel.ts';
import { type ChannelSettings, createChannels } from './channels/registry.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import type { EventSource } from './followers.ts';
import { runHooks } from './hooks/deliver-hooks.ts';
import { createLinks, linkLifeUs } from './links.ts';
import { insertAddressMail } from './mails/mail-store.ts';
import { sendMails } from './mails/send-mails.ts';
import { runPageMails } from './page-mails/run-page-mails.ts';
import {
  createSubscriptionLinks,
  createSubscriptions,
  type Subscriptions,
} from './page-mails/subscriptions.ts';
import type { OnFailed } from './record.ts';
import { type ReportMailDeps, runReportMails } from './report-mails/run-report-mails.ts';
import { type LinkActions, linkRoutes } from './routes.ts';
import { sendTest, type TestResult } from './send-test.ts';

/** Dependencies of the step. */
export interface NotifyDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sealer: Sealer;
  readonly timeScale: TimeScale;
  readonly settings: ChannelSettings;
  /** Where the links of messages begin, without a slash at the end. Known when the ports are open. */
  readonly baseUrl: () => string;
  readonly uptimeParts: UptimeParts;
  readonly onFailed: OnFailed;
  /** Where hooks get their events. */
  readonly events: EventSource;
  /** Where monthly reports get their figures. */
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
    /** Subscriptions of status pages; undefined: there is no mail server. */
    readonly subscriptions: Subscriptions | undefined;
    /** Stores a mail to a person in the transaction of a change; undefined: there is no mail server. */
    readonly mailPerson: MailPerson | undefined;
  };
}

/** Stores a mail to this address. */
type MailPerson = (
  trx: Kysely<Tables>,
  mail: { readonly address: string; readonly subject: string; readonly body: string },
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
  return Object.assign(deliveries, {
    runHooks: (signal: AbortSignal) => runHooks(hooks, signal),
    async runMails(signal: AbortSignal) {
      await Promise.all([
        runPageMails(hooks, signal),
        runReportMails({ ...hooks, ...deps.reports, baseUrl, mayJudge: hooks.mayGiveUp }, signal),
        sendMails({ ...hooks, channel: channels.email, baseUrl, links: subscribing }, signal),
      ]);
    },
    pages: (actions: LinkActions) => linkRoutes({ db, clock, links, actions }),
    forApi: {
      sendTest: (contactNo: number, signal: AbortSignal) =>
        sendTest({ ...attempts, db, channels }, contactNo, signal),
      // Without a mail server nobody could confirm.
      subscriptions:
        settings.smtpUrl === undefined ? undefined : createSubscriptions({ db, clock, links: subscribing }),
      mailPerson:
        settings.smtpUrl === undefined
          ? undefined
          : (trx: Kysely<Tables>, mail: Parameters<MailPerson>[1]) =>
              insertAddressMail(trx, { ...mail, nowUs: clock.nowUs() }),
    },
  });
}

/** Seconds of a part of a day in each status. */
interface PartFigures {
  readonly UpSeconds: number;
  readonly DownSeconds: number;
  readonly MaintenanceSeconds: number;
  readonly UnknownSeconds: number;
}

/** The uptime of a device in equal parts until `nowUs`, oldest first (the step health). */
type UptimeParts = (
  kysely: Kysely<Tables>,
  ask: {
    readonly deviceNo: number;
    readonly createdUs: number;
    readonly parts: number;
    readonly partUs: number;
    readonly nowUs: number;
  },
) => Promise<readonly PartFigures[]>;

/** The last day of a device in 48 half hours, oldest first; null when the device does not exist. */
async function readDay(
  kysely: Kysely<Tables>,
  { deviceId, nowUs }: { readonly deviceId: string; readonly nowUs: number },
  uptimeParts: UptimeParts,
): Promise<readonly DayPart[] | null> {
  const device = await kysely
    .selectFrom('devices')
    .select(['device_no as deviceNo', 'created_us as createdUs'])
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  if (device === undefined) return null;
  const parts = await uptimeParts(kysely, { ...device, parts: 48, partUs: 30 * minuteUs, nowUs });
  return parts.map(partOf);
}

/**
 * A moment of Down colours its part, because it is what the reader searches. Otherwise the longest status does. Pure.
 */
export function partOf(part: PartFigures): DayPart {
  if (part.DownSeconds > 0) return 'Down';
  const longest = Math.max(part.UpSeconds, part.MaintenanceSeconds, part.UnknownSeconds);
  if (longest === part.UpSeconds) return 'Up';
  return longest === part.MaintenanceSeconds ? 'Maint' : 'Unknown';
}

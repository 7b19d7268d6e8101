import { type Clock, type Logger, newId } from '@vantage/kernel';
import type { TimeScale } from '../config/time-scale.ts';
import type { Db } from '../db/index.ts';
import type { Sealer } from '../secrets/seal.ts';
import { type ChannelSettings, createChannels } from './channels/registry.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { readDay, type UptimeParts } from './device-day.ts';
import { createLinks, linkLifeUs } from './links.ts';
import type { OnFailed } from './record.ts';

/** What the step needs. */
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
}

/** Makes the step that delivers notifications. */
export function createNotify(deps: NotifyDeps): Deliveries {
  const { db, clock, log, sealer, timeScale, settings, baseUrl, uptimeParts, onFailed } = deps;
  const links = createLinks(sealer.deriveKeys('links of messages'));
  return createDeliveries({
    ...{ db, clock, log, sealer, timeScale, onFailed, newToken: newId },
    channels: createChannels(settings),
    linkOf: ({ firstAttemptUs, ...link }) =>
      `${baseUrl()}/links/${links.sign({ ...link, expiresUs: firstAttemptUs + linkLifeUs })}`,
    readDay: (deviceId, nowUs) => readDay(db.kysely, { deviceId, nowUs }, uptimeParts),
  });
}

import { runRequests } from '../agents/run-requests/index.ts';
import { createUpgrades } from '../agents/upgrades/index.ts';
import { type Alerts, createAlerts } from '../alerts/decide/index.ts';
import { createNotify, messages } from '../alerts/deliver/index.ts';
import { locationVisibility } from '../catalog/locations/visibility-store.ts';
import { createEventFeed, createEventSource, createReportReader } from '../checks/history/index.ts';
import { createIngest } from '../checks/ingest/index.ts';
import { rollUps } from '../checks/rollup/index.ts';
import { tracedFold } from '../observe/tracing/index.ts';
import { createWorkerWatch } from '../platform/db/held/index.ts';
import { createRecordEvents, recordEvents as recordOnly } from '../status/events/record-events.ts';
import { createHealth, createRestHealth, uptimeParts } from '../status/health/index.ts';
import type { Base } from './base.ts';

/** The steps that several roles use. */
export type Shared = ReturnType<typeof joinShared>;

/** Joins results -> ingest -> health -> events -> alerts -> notify. */
export function joinShared(base: Base) {
  const { config, clock, log, db, partitions, timeScale, tracing, clocks } = base;
  const { kysely } = db;
  const { retentionDays } = config;
  const { alerts, recordEvents } = joinAlerts(base);
  const feed = createEventFeed({ db, clock, log });
  const restHealth = createRestHealth({ kysely, clock, recordEvents });
  const health = createHealth({
    clock,
    log,
    timeScale,
    recordEvents,
    runRequests,
    locations: locationVisibility,
    opened: () => db.pool.opened,
  });
  const fold = tracedFold(tracing, health);
  const workers = createWorkerWatch({ kysely, clock, log });
  const storing = { db, clock, log, retentionDays, runRequests, partitions, rollUps, fold, workers };
  return {
    alerts,
    recordEvents,
    feed,
    restHealth,
    health,
    /** The dependencies of everything that stores results. */
    storing,
    ingest: createIngest({ ...storing, mayRefuseForTime: () => clocks.mayRefuse }),
    notify: joinNotify(base, { onFailed: alerts.onFailed, feed, uptimes: restHealth.uptimes }),
    upgrades: createUpgrades({ db, clock, log, recordEvents }),
  };
}

/** Joins events -> alerts -> notify: an alert opens in its event's transaction, a message in its decision's. */
function joinAlerts({ clock, log, db, timeScale }: Base) {
  const { createRunRequests } = runRequests;
  const parts = { db, clock, log, timeScale, recordEvents: recordOnly, ...messages, createRunRequests };
  const alerts = createAlerts(parts);
  return { alerts, recordEvents: createRecordEvents({ onRecorded: alerts.onEvents }) };
}

/** The step that delivers notifications. */
function joinNotify(
  base: Base,
  {
    onFailed,
    feed,
    uptimes,
  }: {
    readonly onFailed: Alerts['onFailed'];
    readonly feed: ReturnType<typeof createEventFeed>;
    readonly uptimes: ReturnType<typeof createRestHealth>['uptimes'];
  },
) {
  const { config, clock, db, log, sealer, timeScale, apiAddress, clocks } = base;
  const { allowPrivateWebhooks: allowPrivate, smtpUrl, mailFrom, telegramUrl } = config;
  return createNotify({
    db,
    clock,
    log,
    sealer,
    timeScale,
    uptimeParts,
    baseUrl: apiAddress.url,
    settings: { allowPrivate, smtpUrl, mailFrom, telegramUrl },
    mayGiveUp: () => clocks.mayRefuse,
    onFailed,
    events: createEventSource(db, feed),
    reports: { readFigures: createReportReader(db, uptimes), rollUps: () => rollUps.readProgress(db.kysely) },
  });
}

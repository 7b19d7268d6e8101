import { runRequests } from '../agents/run-requests/index.ts';
import { createUpgrades } from '../agents/upgrades/index.ts';
import { type Alerts, createAlerts } from '../alerts/decide/index.ts';
import { createNotify, messages } from '../alerts/deliver/index.ts';
import { locationVisibility } from '../catalog/locations/visibility-store.ts';
import { tracedFold } from '../observe/tracing/index.ts';
import { createEventFeed, createEventSource, createReportReader } from '../reading/history/index.ts';
import { createRecordEvents, recordEvents as recordOnly } from '../results/events/record-events.ts';
import { createRecordNotices } from '../results/events/record-notices.ts';
import { createHeartbeats } from '../results/heartbeats/index.ts';
import { createIngest } from '../results/ingest/index.ts';
import { rollUps } from '../results/roll-up/index.ts';
import { createHealth, createRestHealth, uptimeParts } from '../results/status/index.ts';
import type { Base } from './open-base.ts';

/** The steps that several roles use. */
export type Shared = ReturnType<typeof joinShared>;

/** Joins results -> ingest -> health -> events -> alerts -> notify. */
export function joinShared(base: Base) {
  const { config, clock, log, db, partitions, timeScale, tracing, clocks } = base;
  const { retentionDays } = config;
  const { alerts, recordEvents } = joinAlerts(base);
  const feed = createEventFeed({ db, clock, log });
  const restHealth = createRestHealth({ clock, recordEvents });
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
  const ingest = createIngest({
    db,
    clock,
    log,
    retentionDays,
    runRequests,
    partitions,
    rollUps,
    fold,
    recordNotices: createRecordNotices(recordEvents),
    mayRefuseForTime: () => clocks.mayRefuse,
  });
  return {
    alerts,
    recordEvents,
    feed,
    restHealth,
    health,
    ingest,
    heartbeats: createHeartbeats({ ...base, baseUrl: base.apiAddress.url, ingest }),
    notify: joinNotify(base, { onFailed: alerts.onFailed, feed, uptimes: restHealth.uptimes }),
    upgrades: createUpgrades({ db, clock, log, recordEvents }),
  };
}

/**
 * Joins events -> alerts -> notify. An alert opens in the transaction of its event, a message in that of its decision.
 */
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
  const { clock, db, log, sealer, timeScale, apiAddress, clocks, installation } = base;
  return createNotify({
    db,
    clock,
    log,
    sealer,
    timeScale,
    uptimeParts,
    baseUrl: apiAddress.url,
    settings: installation.inForce,
    mayGiveUp: () => clocks.mayRefuse,
    onFailed,
    events: createEventSource(db, feed),
    reports: { readFigures: createReportReader(db, uptimes), rollUps: () => rollUps.readProgress(db.kysely) },
  });
}

import { type Clock, createLog, newId } from '@vantage/kernel';
import { createPartitions, type Database } from '@vantage/storage';
import { runRequests } from '../agents/run-requests/index.ts';
import { locationVisibility } from '../catalog/locations/visibility-store.ts';
import { realTime } from '../config/time-scale.ts';
import { recordEvents } from '../results/events/record-events.ts';
import { createHeartbeats, type Heartbeats } from '../results/heartbeats/heartbeats.ts';
import { createIngest } from '../results/ingest/index.ts';
import { rollUps } from '../results/roll-up/index.ts';
import { createHealth } from '../results/status/index.ts';

/** The heartbeats of one controller on a database, with everything that follows from a call up to its events. */
export function createHeartbeatFixture(db: Database, clock: Clock): Heartbeats {
  const log = createLog('heartbeat-test', 'silent');
  const partitions = createPartitions({ db, clock, log, retentionDays: 30 });
  const health = createHealth({ clock, log, recordEvents, runRequests, locations: locationVisibility });
  const ingest = createIngest({
    db,
    clock,
    log,
    retentionDays: 30,
    runRequests,
    partitions,
    rollUps,
    fold: (trx, rows, nowUs) => health.fold(trx, rows, nowUs),
  });
  return createHeartbeats({
    db,
    clock,
    log,
    controllerId: newId(),
    timeScale: realTime,
    partitions,
    baseUrl: () => 'https://vantage.test',
    ingest,
  });
}

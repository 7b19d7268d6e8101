import type { Clock, Logger } from '@vantage/kernel';
import type { OuterRoute } from '@vantage/rest-kit/outer-routes';
import type { Database } from '@vantage/storage';
import type { TimeScale } from '../../config/time-scale.ts';
import { createCallIntake } from './call-intake.ts';
import { devicesOfTokens } from './heartbeat-store.ts';
import { createJudgeLoop, type JudgeLoop } from './judge-loop.ts';
import { createPushAddresses, type PushAddresses } from './push-addresses.ts';
import { pushRoutes } from './push-routes.ts';
import { createReceiving, type Receiving } from './receiving.ts';
import { type StoreReceived, storeCalls } from './store-heartbeats.ts';

/** The step that receives the calls of jobs. */
export interface Heartbeats {
  /** The routes that take calls. */
  readonly routes: readonly OuterRoute[];
  /** Creates the addresses of new devices. */
  readonly addresses: PushAddresses;
  /** Records that this controller receives calls; runs while its port is open. */
  readonly receiving: Receiving;
  /** Judges which calls are missing. */
  readonly judging: JudgeLoop;
}

interface HeartbeatDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly controllerId: string;
  readonly timeScale: TimeScale;
  readonly partitions: { ensure(): Promise<void> };
  readonly baseUrl: () => string;
  readonly ingest: StoreReceived;
}

/** Joins calls -> intake -> ingest, and time -> missing calls -> ingest. */
export function createHeartbeats({
  db,
  clock,
  log,
  controllerId,
  timeScale,
  partitions,
  baseUrl,
  ingest: { storeReceived },
}: HeartbeatDeps): Heartbeats {
  const { kysely } = db;
  const intake = createCallIntake({
    clock,
    log,
    partitions,
    findTokens: (hashes) => devicesOfTokens(kysely, hashes),
    store: (calls) =>
      kysely
        .transaction()
        .execute((trx) => storeCalls(trx, calls, { storeReceived, controllerId, nowUs: clock.nowUs() })),
    onFailure: () => receiving.noteFailure(),
  });
  const receiving = createReceiving({
    kysely,
    clock,
    log,
    controllerId,
    oldestWaitingUs: intake.oldestWaitingUs,
  });
  return {
    routes: pushRoutes({ intake, clock }),
    addresses: createPushAddresses(baseUrl),
    receiving,
    judging: createJudgeLoop({ db, clock, log, holder: controllerId, timeScale, partitions, storeReceived }),
  };
}

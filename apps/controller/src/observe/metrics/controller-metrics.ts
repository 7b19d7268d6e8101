import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { secondUs } from '@vantage/domain';
import type { Clock, DiskWatch } from '@vantage/kernel';
import { createProcessMetrics, type ProcessMetrics, watchDisk } from '@vantage/kernel/metrics';
import type { Database } from '@vantage/storage';
import type { Replica } from '@vantage/storage/replica';
import { type JobFacts, readJobs } from './job-store.ts';

/** The numbers of records of a stored batch, by outcome. */
interface BatchCounts {
  readonly inserted: number;
  readonly repeated: number;
  readonly quarantined: number;
}

/** Sums that were compared with their checks, and those that differed. */
interface ComparedSums {
  readonly compared: Readonly<Record<'hours' | 'days' | 'packed_days', number>>;
  readonly differing: Readonly<Record<'repaired' | 'damaged' | 'missing' | 'failed', number>>;
}

/** The series of a controller's process, and the functions that measure its parts. */
export interface ControllerMetrics extends Pick<ProcessMetrics, 'text' | 'contentType'> {
  /** Measures each call of a function that stores a batch. */
  measureIngest<Args extends readonly unknown[]>(
    accept: (...args: Args) => Promise<BatchCounts>,
  ): (...args: Args) => Promise<BatchCounts>;
  /**
   * Measures each request of the REST port from its headers to the end of its answer; a stream of events counts when it
   * ends.
   */
  measureRequests(handler: RequestListener): RequestListener;
  /** Adds gauges of the running work of the parts. */
  watch(parts: {
    readonly clocks: { readonly problem: string | undefined };
    readonly disk: Pick<DiskWatch, 'space'>;
    /** When the certificate of the REST port ends, microseconds since 1970. */
    readonly certificates: { readonly apiEndUs: number };
    readonly gateway: { readonly load: { readonly sessions: number; readonly waitingBatches: number } };
    readonly feed: { readonly followers: number };
    readonly notify: {
      readonly running: number;
      /** Messages by type of contact. */
      readonly counts: Readonly<Record<'delivered' | 'failed' | 'again', Readonly<Record<string, number>>>>;
    };
    readonly sums: { readonly counts: ComparedSums };
  }): void;
  /** Records that were stored since the process began, and whether batches are being stored. */
  readonly ingest: { readonly done: number; readonly isWaiting: boolean };
}

export function createControllerMetrics({
  db,
  clock,
  version,
}: {
  readonly db: Pick<Database, 'kysely' | 'pool'> & { readonly replica: Pick<Replica, 'state'> | undefined };
  readonly clock: Clock;
  readonly version: string;
}): ControllerMetrics {
  const metrics = createProcessMetrics({ program: 'controller', version });
  const ingested = { inserted: 0, repeated: 0, quarantined: 0 };
  let storing = 0;
  metrics.counter('vantage_ingest_records_total', 'Records of agents by outcome.', 'outcome', () => ingested);
  metrics.gauge('vantage_ingest_batches_in_work', 'Batches that are being stored.', () => storing);
  const batchTook = metrics.durations('vantage_ingest_batch_seconds', 'Time to store a batch.', 'outcome');
  const requestTook = metrics.durations('vantage_http_request_seconds', 'Time of REST requests.', 'status');
  watchDatabase(metrics, db);
  if (db.replica !== undefined) watchReplica(metrics, db.replica);
  watchJobs(metrics, { db, clock });
  return {
    text: () => metrics.text(),
    contentType: metrics.contentType,
    measureIngest:
      (accept) =>
      async (...args) => {
        const fromMs = clock.monoMs();
        storing += 1;
        let outcome = 'failed';
        try {
          const stored = await accept(...args);
          outcome = 'stored';
          ingested.inserted += stored.inserted;
          ingested.repeated += stored.repeated;
          ingested.quarantined += stored.quarantined;
          return stored;
        } finally {
          storing -= 1;
          batchTook(outcome, clock.monoMs() - fromMs);
        }
      },
    measureRequests: (handler) => (request: IncomingMessage, response: ServerResponse) => {
      const fromMs = clock.monoMs();
      response.once('close', () => {
        const status = response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted';
        requestTook(status, clock.monoMs() - fromMs);
      });
      handler(request, response);
    },
    get ingest() {
      const { inserted, repeated, quarantined } = ingested;
      return { done: inserted + repeated + quarantined, isWaiting: storing > 0 };
    },
    watch({ clocks, disk, certificates, gateway, feed, notify, sums }) {
      watchNotifications(metrics, notify);
      watchSums(metrics, sums.counts);
      watchDisk(metrics, disk);
      metrics.gauge(
        'vantage_api_certificate_expiry_timestamp_seconds',
        'When the certificate of the REST port ends.',
        () => certificates.apiEndUs / secondUs,
      );
      metrics.gauge('vantage_clock_wrong', "1 while this controller's clock and other clocks disagree.", () =>
        Number(clocks.problem !== undefined),
      );
      metrics.gauge('vantage_gateway_streams', 'Agents that are connected to this controller.', () => {
        return gateway.load.sessions;
      });
      metrics.gauge(
        'vantage_gateway_batches_waiting',
        'Batches that wait for their turn to be stored.',
        () => {
          return gateway.load.waitingBatches;
        },
      );
      metrics.gauge('vantage_event_streams', 'Clients that follow events.', () => feed.followers);
    },
  };
}

function watchNotifications(
  metrics: ProcessMetrics,
  notify: Parameters<ControllerMetrics['watch']>[0]['notify'],
): void {
  const { gauge } = metrics;
  gauge('vantage_notification_attempts_running', 'Attempts to deliver that run now.', () => notify.running);
  const { counts } = notify;
  const counter = (name: string, help: string, byChannel: Readonly<Record<string, number>>) =>
    metrics.counter(name, help, 'channel', () => byChannel);
  counter('vantage_notifications_delivered_total', 'Messages that arrived.', counts.delivered);
  counter('vantage_notifications_failed_total', 'Messages that were given up.', counts.failed);
  counter('vantage_notification_retries_total', 'Attempts that must be repeated.', counts.again);
}

function watchSums(metrics: ProcessMetrics, { compared, differing }: ComparedSums): void {
  metrics.counter(
    'vantage_sums_compared_total',
    'Sums that this process compared with their checks: hours and days of devices.',
    'what',
    () => compared,
  );
  metrics.counter(
    'vantage_sums_differing_total',
    'Days of devices whose sums differed from their checks, by what was done.',
    'outcome',
    () => differing,
  );
}

function watchReplica(metrics: ProcessMetrics, replica: Pick<Replica, 'state'>): void {
  metrics.gauge('vantage_read_replica_used', '1 while history is read from the replica.', () =>
    Number(replica.state.isUsed),
  );
  metrics.gauge('vantage_read_replica_age_seconds', 'The replica has every write that is older.', () =>
    replica.state.ageMs === undefined ? undefined : replica.state.ageMs / 1000,
  );
  metrics.counter(
    'vantage_history_reads_total',
    'Reads of history by server; repeated: on the primary, after they failed or found nothing on the replica.',
    'server',
    () => replica.state.reads,
  );
}

function watchDatabase(metrics: ProcessMetrics, db: Pick<Database, 'pool'>): void {
  const { gauge } = metrics;
  gauge('vantage_database_connections_open', 'Connections of the pool.', () => db.pool.open);
  gauge('vantage_database_connections_idle', 'Connections of the pool that do nothing.', () => db.pool.idle);
  gauge('vantage_database_requests_waiting', 'Work that waits for a connection.', () => db.pool.waiting);
}

/** Counts of the jobs of all controllers; every controller shows the same. */
function watchJobs(
  metrics: ProcessMetrics,
  { db, clock }: { readonly db: Pick<Database, 'kysely'>; readonly clock: Clock },
): void {
  let jobs: JobFacts | undefined;
  metrics.beforeScrape(async () => {
    jobs = undefined;
    jobs = await readJobs(db, clock.nowUs());
  });
  const { gauge } = metrics;
  gauge('vantage_database_up', '1 when the database answered the queries of this scrape.', () =>
    jobs === undefined ? 0 : 1,
  );
  gauge('vantage_rollup_lag_seconds', 'Age of the latest rolled-up hour; up to 7,300 is normal.', () =>
    jobs?.rolled_to_us == null ? undefined : clock.nowUs() / secondUs - jobs.rolled_to_us / secondUs,
  );
  gauge('vantage_rollup_buckets_waiting', 'Hours that wait to be rolled up.', () => jobs?.dirty_hours);
  gauge('vantage_job_refused_items', 'Values that a job cannot process.', () => jobs?.refused_items);
  gauge('vantage_quarantined_records_last_day', 'Records that were quarantined.', () => jobs?.quarantined);
  gauge(
    'vantage_notifications_pending',
    'Notifications that are not delivered yet.',
    () => jobs?.notifications,
  );
  gauge('vantage_notification_oldest_pending_seconds', 'Age of the oldest of them.', () =>
    jobs?.oldest_notification_us == null
      ? undefined
      : clock.nowUs() / secondUs - jobs.oldest_notification_us / secondUs,
  );
  gauge('vantage_last_backup_timestamp_seconds', 'When the newest backup was made.', () =>
    jobs?.last_backup_us == null ? undefined : jobs.last_backup_us / secondUs,
  );
  gauge('vantage_last_verified_backup_timestamp_seconds', 'When the newest verified backup was made.', () =>
    jobs?.verified_backup_us == null ? undefined : jobs.verified_backup_us / secondUs,
  );
  gauge('vantage_run_requests_overdue', 'Run requests past their deadline.', () => jobs?.overdue_requests);
}

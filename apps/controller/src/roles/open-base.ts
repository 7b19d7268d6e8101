import { productVersion as version } from '@vantage/domain';
import { type Logger, newId } from '@vantage/kernel';
import { createDb, createPartitions } from '@vantage/storage';
import { openContinuity } from '@vantage/storage/continuity';
import { requireSupportedServer } from '@vantage/storage/require-server';
import { examineKeyFile, openSealer } from '@vantage/storage/secrets/open-sealer';
import { openTimeKeeper, type SharedClock } from '../agents/clocks/index.ts';
import { openAuthorities, sealedAuthorities } from '../agents/enrol/index.ts';
import { openLiveSettings } from '../catalog/installation/live-settings.ts';
import { sealedRows as sealedCatalog } from '../catalog/secrets/reseal-store.ts';
import type { ControllerConfig } from '../config/controller-config.ts';
import { createTimeScale } from '../config/time-scale.ts';
import { createControllerMetrics } from '../observe/metrics/controller-metrics.ts';
import { readJobs } from '../observe/metrics/job-store.ts';
import { createFindings } from '../observe/problems/watch-findings.ts';
import { openTracing } from '../observe/tracing/index.ts';
import { createApiAddress } from '../server/api-address.ts';
import { openCertificates } from '../server/certificates.ts';
import { openDataDisk } from '../server/data-disk.ts';

const sealedRows = { ...sealedCatalog, ...sealedAuthorities };

/** The base of all steps: certificates, the migrated database, the sealing key, today's partitions. */
export type Base = Awaited<ReturnType<typeof openBase>>;

/** Opens the base. `progress` receives the part that is ready, and `ending` ends the wait for a database. */
export async function openBase({
  config,
  clock,
  log,
  databaseUrl,
  isMoved,
  ending,
  progress,
}: {
  readonly config: ControllerConfig;
  /** The database is a copy of the one in the settings. */
  readonly isMoved: boolean;
  readonly clock: SharedClock;
  readonly log: Logger;
  readonly databaseUrl: string;
  readonly ending: AbortSignal;
  readonly progress: (text: string) => void;
}) {
  const { retentionDays, secretKeyFile: file, secretKeyLost: keyLost } = config;
  const controllerId = newId();
  const tracing = await openTracing({ url: config.otlpUrl, version, controllerId, clock, log });
  const connection = { url: databaseUrl, replica: config.readReplica };
  const db = await createDb({ connection, log, clock, onStatement: tracing.onStatement });
  await requireSupportedServer(db.kysely, { clock, ending, log, onWait: progress });
  await db.migrate();
  progress('the tables are ready');
  const ownsDatabase = config.databaseUrl === undefined;
  const timed = { kysely: db.kysely, clock, log, gatewayId: controllerId };
  const clocks = await openTimeKeeper({ ...timed, ownsDatabase });
  const sealer = await openSealer({ kysely: db.kysely, sealedRows, file, keyLost, log });
  const installation = await openLiveSettings({ db, sealer, environment: config, log });
  const readAuthorities = (dir: string) => openAuthorities({ kysely: db.kysely, sealer, dir, clock, log });
  const certificates = await openCertificates({ config, clock, log, readAuthorities });
  const disk = await openDataDisk({ config, clock, log });
  const continuity = await openContinuity({ db, clock, log, dataDir: config.dataDir });
  const partitions = createPartitions({ db, clock, log, retentionDays });
  await partitions.ensure();
  const findings = createFindings({
    kysely: db.kysely,
    controllerId,
    clock,
    log,
    readJobs: () => readJobs(db, clock.nowUs()),
    keyFile: () => examineKeyFile({ kysely: db.kysely, file }),
    controllerFacts: () => ({
      clocks,
      disk,
      certificates,
      continuity,
      isMoved,
      backupMaxDays: config.backupMaxDays,
    }),
  });
  return {
    config,
    clock,
    log,
    databaseUrl,
    controllerId,
    certificates,
    disk,
    db,
    sealer,
    installation,
    partitions,
    clocks,
    continuity,
    findings,
    tracing,
    timeScale: createTimeScale(config.testTimeScale),
    metrics: createControllerMetrics({ db, clock, version }),
    apiAddress: createApiAddress(config.publicUrl, certificates.current.apiHost),
  };
}

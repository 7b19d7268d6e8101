import { productVersion as version } from '@vantage/domain';
import { type Logger, newId } from '@vantage/kernel';
import { openAuthorities, sealedAuthorities } from '../agents/enrol/index.ts';
import { sealedRows as sealedCatalog } from '../catalog/secrets/reseal-store.ts';
import { createFindings } from '../observe/findings/watch-findings.ts';
import { createControllerMetrics } from '../observe/metrics/controller-metrics.ts';
import { readJobs } from '../observe/metrics/process-store.ts';
import { openTracing } from '../observe/tracing/index.ts';
import { type createHeldClock, openClockJudge } from '../platform/clocks/index.ts';
import type { Config } from '../platform/config/config.ts';
import { createTimeScale } from '../platform/config/time-scale.ts';
import { openContinuity } from '../platform/continuity/index.ts';
import { createDb, createPartitions } from '../platform/db/index.ts';
import { requireSupportedServer } from '../platform/db/server.ts';
import { examineKeyFile, openSealer } from '../platform/secrets/open-sealer.ts';
import { createApiAddress } from '../platform/server/announce.ts';
import { openCertificates } from '../platform/server/certificates.ts';
import { openDataDisk } from '../platform/server/data-disk.ts';

const sealedRows = { ...sealedCatalog, ...sealedAuthorities };

/** The base of all steps: certificates, the migrated database, the sealing key, the partitions of today. */
export type Base = Awaited<ReturnType<typeof openBase>>;

/** Opens the base. `progress` hears which part of it is ready, and `ending` ends the wait for a database. */
export async function openBase({
  config,
  clock,
  log,
  databaseUrl,
  isMoved,
  ending,
  progress,
}: {
  readonly config: Config;
  /** The database of the settings was copied to this one. */
  readonly isMoved: boolean;
  readonly clock: ReturnType<typeof createHeldClock>;
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
  progress('the tables are in place');
  const ownsDatabase = config.databaseUrl === undefined;
  const judged = { kysely: db.kysely, clock, log, gatewayId: controllerId };
  const clocks = await openClockJudge({ ...judged, ownsDatabase });
  const sealer = await openSealer({ kysely: db.kysely, sealedRows, file, keyLost, log });
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
    own: () => ({ clocks, disk, certificates, continuity, isMoved, backupMaxDays: config.backupMaxDays }),
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

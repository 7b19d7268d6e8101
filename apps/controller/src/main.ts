import { mkdirSync } from 'node:fs';
import { uptime } from 'node:os';
import { productVersion as version } from '@vantage/domain';
import {
  descriptorLimit,
  type Logger,
  messageOf,
  newId,
  onSignal,
  shutdownSignal,
  systemClock,
  whenAborted,
} from '@vantage/kernel';
import { type Alerts, acknowledge, acknowledgeMany, createAlerts, snooze } from './alerts/index.ts';
import { builtPage, createHttpApi, readSite } from './api/index.ts';
import { createAssign } from './assign/index.ts';
import { createChangeRecorder } from './audit/index.ts';
import { agentEnrolment } from './catalog/agents/enrolment-store.ts';
import { agentPresence } from './catalog/agents/presence-store.ts';
import { createCatalog } from './catalog/change.ts';
import { locationVisibility } from './catalog/locations/visibility-store.ts';
import { sealedRows as sealedCatalog } from './catalog/secrets/reseal-store.ts';
import { createHeldClock, openClockJudge } from './clocks/index.ts';
import type { Config } from './config/config.ts';
import { runProgram } from './config/run-program.ts';
import { createTimeScale } from './config/time-scale.ts';
import { openContinuity } from './continuity/index.ts';
import { watchMove } from './db/copy/index.ts';
import { createWorkerWatch } from './db/held/index.ts';
import { createDb, createPartitions } from './db/index.ts';
import { requireSupportedServer } from './db/server.ts';
import { createAgentSide, openAuthorities, sealedAuthorities } from './enrol/index.ts';
import { createRecordEvents, recordEvents as recordOnly } from './events/index.ts';
import { createGateway, deleteControllers, type Gateway } from './gateway/index.ts';
import {
  createHealth,
  createPauseDevices,
  createRestHealth,
  insertStates,
  trimCheckpoints,
  uptimeParts,
} from './health/index.ts';
import { createEventFeed, createEventSource, createReportReader } from './history/index.ts';
import { deleteOldAnswers } from './http/kept-answer-store.ts';
import {
  createDayPacker,
  createHeldDrain,
  createHousekeeping,
  createIngest,
  createTakeWaiting,
  deletePackedDays,
  type Ingest,
} from './ingest/index.ts';
import { createControllerMetrics } from './metrics/controller-metrics.ts';
import { createNotify, createWorkReader, messages, notificationsOf, runHeartbeat } from './notify/index.ts';
import { createProblems, problemsOf, warningsOf } from './problems/index.ts';
import { rollUps } from './rollup/index.ts';
import { runRequests } from './run-requests/index.ts';
import { openSealer } from './secrets/open-sealer.ts';
import { announceReady, createApiAddress } from './server/announce.ts';
import { openCertificates } from './server/certificates.ts';
import { connectionCaps } from './server/connection-caps.ts';
import { openDataDisk } from './server/data-disk.ts';
import { type DatabasePlace, openDatabasePlace } from './server/database-place.ts';
import { openMetricsPort } from './server/metrics-port.ts';
import { openPorts } from './server/open-ports.ts';
import { openTracing, tracedBatches, tracedFold } from './tracing/index.ts';
import { createUpgrades, insertRollout } from './upgrades/index.ts';

const clock = createHeldClock(systemClock, () => uptime() * 1000);
const sealedRows = { ...sealedCatalog, ...sealedAuthorities };
/** Loops and connections get this long to end; the database is ended after that in any case. */
const endMs = 3_000;

/** Reports to the supervisor, if there is one, which part of the start is done. */
const progress = (text: string) => void process.send?.({ type: 'progress', text });

/** Starts the database if it is the controller's own, serves until `ending` aborts, and stops the database again. */
async function run(config: Config, log: Logger, ending: AbortSignal): Promise<void> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const place = await openDatabasePlace({ config, clock, log, ending, onWait: progress });
  if (place.embedded) progress('the database runs');
  try {
    const base = await openBase(place.config, log, place.url, ending);
    await serve(base, joinSteps(base), { ending, embedded: place.embedded });
  } finally {
    await place.embedded?.stop();
  }
}

/** Opens the base of all steps: certificates, the migrated database, the sealing key, the partitions of today. */
async function openBase(config: Config, log: Logger, databaseUrl: string, ending: AbortSignal) {
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
  const timeScale = createTimeScale(config.testTimeScale);
  const metrics = createControllerMetrics({ db, clock, version });
  const base = { config, log, databaseUrl, certificates, disk, db, sealer, partitions, timeScale, metrics };
  const apiAddress = createApiAddress(config.publicUrl, certificates.current.apiHost);
  return { ...base, clocks, continuity, apiAddress, controllerId, tracing };
}

type Base = Awaited<ReturnType<typeof openBase>>;

/** Joins the steps along the data flow. No step imports another one: each gets the functions of the others here. */
function joinSteps(base: Base) {
  const { config, log, db, sealer, partitions, timeScale, controllerId, tracing, clocks } = base;
  const { kysely } = db;
  const { retentionDays } = config;

  // REST -> catalog -> assign -> gateway = stream = agents
  const recordChanges = createChangeRecorder({ clock });
  const catalog = createCatalog({ db, recordChanges, limits: config.accountLimits });
  const assign = createAssign({ db, clock, log, controllerId, timeScale });
  const onRequest = runRequests.createOnRequest({ db, clock });
  const { alerts, recordEvents } = joinAlerts(base);
  const feed = createEventFeed({ db, clock, log });
  const restHealth = createRestHealth({ kysely, clock, recordEvents });
  const notify = joinNotify(base, alerts, feed, restHealth.uptimes);

  // agents = stream = gateway -> ingest -> health -> events, uptime -> REST
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
  const ingest = createIngest({ ...storing, mayRefuseForTime: () => clocks.mayRefuse });
  const showOnline = (locationNo: number) =>
    health.updateVisibilityNow(kysely, locationNo).catch((error: unknown) => {
      log.debug({ error: messageOf(error) }, 'the next round of health updates the Location');
    });
  const upgrades = createUpgrades({ db, clock, log, recordEvents });
  const gateway = createGateway({
    db,
    clock,
    log,
    sealer,
    controllerId,
    runRequests,
    recordEvents,
    upgrades,
    ingest: { accept: base.disk.whileRoom(base.metrics.measureIngest(tracedBatches(tracing, ingest))) },
    agents: agentPresence,
    acceptsOldTokens: config.acceptsOldTokens,
    history: base.continuity,
    trusted: () => base.certificates.current.authorities.trusted,
    maxConnections: connectionCaps(descriptorLimit()).total,
    onAgentSeen: ({ locationNo }) => void showOnline(locationNo),
  });
  const { door: agentDoor, plan: planInvitation, signedParcels } = joinAgentSide(base, gateway);
  const settings = { ...config, ownCertificate: config.tls !== undefined };
  const api = createHttpApi({
    db,
    catalog,
    clock,
    log,
    sealer,
    ...onRequest,
    settings,
    onRoute: tracing.nameRoute,
    recordEvents,
    rollUps,
    feed,
    insertStates,
    baseUrl: base.apiAddress.url,
    pause: createPauseDevices({ log, recordEvents, withdrawRetries: runRequests.withdrawRetries }),
    deleteHistory: [rollUps.deleteRollUps, deletePackedDays],
    notificationsOf,
    pages: notify.pages({ acknowledge, acknowledgeMany, snooze }),
    site: readSite(builtPage),
    planInvitation,
    upgrades: { signedParcels, startRollout: insertRollout },
    ...notify.forApi,
    warnings: () => warningsOf(base),
    ownFacts: () => ({
      disk: base.disk.space,
      certificateEndUs: base.certificates.apiEndUs,
      backupMaxDays: config.backupMaxDays,
    }),
    health: restHealth,
  });
  const [housekeeping, heldDrain] = [joinHousekeeping(base, ingest), createHeldDrain(storing)];
  return { assign, health, alerts, gateway, agentDoor, upgrades, housekeeping, heldDrain, feed, api, notify };
}

/** The jobs on stored data. */
function joinHousekeeping(base: Base, ingest: Ingest) {
  const { log, db, partitions, controllerId: holder, clocks } = base;
  const { retentionDays } = base.config;
  return createHousekeeping({
    db,
    clock,
    log,
    partitions,
    retentionDays,
    holder,
    deleteControllers,
    deleteOldAnswers,
    rollUp: rollUps.createRollUp({ db, clock, log }),
    packer: dayPacker(base),
    trim: trimCheckpoints,
    mayDelete: () => clocks.mayDelete,
    provenUs: () => clocks.advance(),
    takeWaiting: createTakeWaiting({ kysely: db.kysely, log, ingest, mayRefuse: () => clocks.mayRefuse }),
    deleteRunRequests: runRequests.deleteEnded,
  });
}

/** The packer of old days, where the operator wants it. */
function dayPacker({ config: { packAfterDays: afterDays, retentionDays }, db, log }: Base) {
  if (afterDays === 'never') return undefined;
  const rolledToUs = async (kysely: typeof db.kysely) => (await rollUps.readProgress(kysely)).rolledToUs;
  return createDayPacker({ db, clock, log, afterDays, retentionDays, rolledToUs });
}

/** Joins events -> alerts -> notify: an alert opens in its event's transaction, a message in its decision's. */
function joinAlerts({ log, db, timeScale }: Base) {
  const { createRunRequests } = runRequests;
  const parts = { db, clock, log, timeScale, recordEvents: recordOnly, ...messages, createRunRequests };
  const alerts = createAlerts(parts);
  return { alerts, recordEvents: createRecordEvents({ onRecorded: alerts.onEvents }) };
}

type Steps = ReturnType<typeof joinSteps>;
type EventFeed = ReturnType<typeof createEventFeed>;
type Uptimes = ReturnType<typeof createRestHealth>['uptimes'];

/** The step that delivers notifications. */
function joinNotify(base: Base, { onFailed }: Alerts, feed: EventFeed, uptimes: Uptimes) {
  const { config, db, log, sealer, timeScale, apiAddress, clocks } = base;
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

/** The handlers of the agents' port beside the streams. */
function joinAgentSide({ config, db: { kysely }, log, certificates }: Base, gateway: Gateway) {
  return createAgentSide({ config, kysely, clock, log, gateway, agents: agentEnrolment, certificates });
}

/** Opens the ports and runs the loops of all steps until `ending` aborts. Rejects when a loop breaks. */
async function serve(
  base: Base,
  steps: Steps,
  { ending, embedded }: { readonly ending: AbortSignal } & Pick<DatabasePlace, 'embedded'>,
): Promise<void> {
  const { config, log, db, certificates } = base;
  await using _tracing = base.tracing;
  const { gateway, agentDoor, feed, api, notify } = steps;
  using _door = agentDoor;
  const handler = base.metrics.measureRequests(base.tracing.traceRequests(api.handler));
  const ports = await openPorts({
    config,
    clock,
    log,
    certificates: certificates.current,
    gateway,
    agentDoor,
    api,
    handler,
  });
  const { httpsPort, agentPort } = ports;
  base.apiAddress.opened(httpsPort);
  base.metrics.watch({ ...base, gateway, feed, notify });
  await using _metrics = await openMetricsPort(config, base.metrics);
  using _hangup = onSignal('SIGHUP', () => certificates.again());
  log.info(
    { controllerId: base.controllerId, roles: [...config.roles], httpsPort, agentPort },
    'the controller serves',
  );
  const loops = [
    ...(config.roles.has('worker') ? work(base, steps, ending) : []),
    ...(config.roles.has('gateway') ? [steps.heldDrain.run(ending)] : []),
    base.clocks.run(ending),
    base.continuity.run(ending),
    base.disk.run(ending),
    watchProblems(base).run(ending),
    watchMove({ kysely: db.kysely, clock }, ending),
    certificates.keep((next) => ports.renew(next), ending),
    ...[embedded, db.replica].flatMap((part) => part?.run(ending) ?? []),
  ];
  announceReady({ certificates: certificates.current, databaseUrl: base.databaseUrl }, ports);
  await Promise.race([whenAborted(ending), Promise.all(loops)]);
  log.info({ reason: String(ending.reason) }, 'ending');
  const served = api[Symbol.asyncDispose]().then(() => feed[Symbol.asyncDispose]());
  const closed = Promise.allSettled([ports.close(), gateway.close(), ...loops, served]);
  await Promise.race([closed.then(() => db.close()), clock.sleep(endMs)]);
}

/** The loops of a worker. */
function work(base: Base, steps: Steps, ending: AbortSignal): readonly Promise<void>[] {
  const { assign, health, alerts, upgrades, housekeeping, notify } = steps;
  return [
    ...[assign, alerts, upgrades, housekeeping].map((step) => step.run(ending)),
    health.run(base.db.kysely, ending),
    notify.run(ending),
    notify.runHooks(ending),
    notify.runMails(ending),
    heartbeat(base, steps, ending),
  ];
}

/** Stores the problems of the installation for the alerts about them. */
function watchProblems({ db: { kysely }, config: { backupMaxDays }, controllerId, log, ...watched }: Base) {
  const read = () => problemsOf(watched);
  return createProblems({ kysely, controllerId, clock, log, backupMaxDays, read });
}

/** Calls the operator's address each minute while ingest, status and deliveries make progress. */
function heartbeat({ config, log, metrics, timeScale }: Base, parts: Steps, ending: AbortSignal) {
  const readWork = createWorkReader({ ...parts, ingest: () => metrics.ingest });
  return runHeartbeat({ url: config.heartbeatUrl, readWork, clock, log, timeScale }, ending);
}

await runProgram((config, log) => run(config, log, shutdownSignal()));

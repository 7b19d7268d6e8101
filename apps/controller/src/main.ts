import { mkdirSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import path from 'node:path';
import {
  systemClock as clock,
  createLog,
  descriptorLimit,
  Fault,
  type Logger,
  messageOf,
  newId,
  shutdownSignal,
  whenAborted,
} from '@vantage/kernel';
import { createHttpApi } from './api/index.ts';
import { createAssign } from './assign/index.ts';
import { createCatalog } from './catalog/change.ts';
import type { Config } from './config/config.ts';
import { validateSettings } from './config/load-settings.ts';
import { createTimeScale } from './config/time-scale.ts';
import { superviseEmbedded } from './db/embedded-supervisor.ts';
import { createDb, createPartitions } from './db/index.ts';
import { requireSupportedServer } from './db/server.ts';
import { recordEvents } from './events/index.ts';
import { createGateway } from './gateway/index.ts';
import {
  createHealth,
  insertState,
  startMaintenance,
  stopMaintenance,
  trimCheckpoints,
  uptimes,
} from './health/index.ts';
import { createEventFeed } from './history/index.ts';
import { createHousekeeping, createIngest } from './ingest/index.ts';
import { rollUps } from './rollup/index.ts';
import { runRequests } from './run-requests/index.ts';
import { openSealer } from './secrets/open-sealer.ts';
import { agentPortOptions, withSafeAuthority } from './server/agent-port.ts';
import { createApiPort } from './server/api-port.ts';
import { keepCertificates, loadCertificates } from './server/certificates.ts';
import { connectionCaps } from './server/connection-caps.ts';
import { listenHttp2, listenOn } from './server/listen-on.ts';
import { secureContextOptions } from './server/tls-options.ts';

/** Loops and connections get this long to end; the database is ended after that in any case. */
const endMs = 3_000;

/** Tells the supervisor, if there is one, what stands. */
const progress = (text: string) => void process.send?.({ type: 'progress', text });

/** Opens what the way of the data stands on, runs it until `ending` aborts, and closes it again. */
async function run(config: Config, log: Logger, ending: AbortSignal): Promise<void> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const embedded = config.databaseUrl
    ? undefined
    : await superviseEmbedded({ dir: path.join(config.dataDir, 'postgres'), clock, log });
  if (embedded) progress('the database runs');
  try {
    await serve({ config, log, ending, databaseUrl: config.databaseUrl ?? embedded?.url ?? '' }, embedded);
  } finally {
    await embedded?.stop();
  }
}

interface Surroundings {
  readonly config: Config;
  readonly log: Logger;
  readonly ending: AbortSignal;
  readonly databaseUrl: string;
}

/** Joins the steps along the way of the data and serves both ports. Rejects when a loop breaks. */
async function serve(
  { config, log, ending, databaseUrl }: Surroundings,
  database: { run(ending: AbortSignal): Promise<void> } | undefined,
): Promise<void> {
  const { retentionDays, trustedProxies, apiKeyHeaders, listen } = config;
  const controllerId = newId();
  const timeScale = createTimeScale(config.testTimeScale);
  const certificates = await loadCertificates({ config, clock, log });
  const db = await createDb({ connection: { url: databaseUrl }, log, clock });
  await requireSupportedServer(db.kysely);
  await db.migrate();
  progress('the tables are in place');
  const { secretKeyFile: file, secretKeyLost: keyLost } = config;
  const sealer = await openSealer({ kysely: db.kysely, file, keyLost, log });

  const catalog = createCatalog({
    db,
    recordChanges: async (_, recorded) => log.debug(recorded, 'the catalog changes'),
  });

  // REST -> catalog -> assign -> gateway = stream = agents
  const assign = createAssign({ db, clock, log, controllerId, timeScale });
  const checkNow = runRequests.createCheckNow({ db, clock });

  // agents = stream = gateway -> ingest -> health -> events, uptime -> REST
  const health = createHealth({ clock, log, timeScale, recordEvents, runRequests });
  const partitions = createPartitions({ db, clock, log, retentionDays });
  await partitions.ensure();
  const ingest = createIngest({
    db,
    clock,
    log,
    retentionDays,
    runRequests,
    partitions,
    rollUps,
    fold: (trx, rows, nowUs) => health.fold(trx, rows, nowUs),
  });
  const gateway = createGateway({
    ...{ db, clock, log, sealer, controllerId, ingest, runRequests, recordEvents },
    maxConnections: connectionCaps(descriptorLimit()).total,
    onAgentSeen: ({ locationNo }) =>
      void health.updateVisibilityNow(db.kysely, locationNo).catch((error: unknown) => {
        log.debug({ error: messageOf(error) }, 'the loop of health will see the agent');
      }),
  });
  const rollUp = rollUps.createRollUp({ db, clock, log });
  const housekeeping = createHousekeeping({
    ...{ db, clock, log, partitions, rollUp, retentionDays },
    holder: controllerId,
    trim: trimCheckpoints,
    deleteRunRequests: runRequests.deleteEnded,
  });
  const ownCertificate = config.tls !== undefined;
  const settings = { trustedProxies, apiKeyHeaders, retentionDays, ownCertificate };
  const feed = createEventFeed({ db, clock, log });
  const api = createHttpApi({
    ...{ db, catalog, clock, log, sealer, checkNow, settings, recordEvents, rollUps, feed, insertState },
    deleteRollUps: rollUps.deleteRollUps,
    health: {
      startMaintenance: (ask) =>
        startMaintenance({ kysely: db.kysely, recordEvents }, { ...ask, nowUs: clock.nowUs() }),
      stopMaintenance: (ask) =>
        stopMaintenance({ kysely: db.kysely, recordEvents }, { ...ask, nowUs: clock.nowUs() }),
      uptimes: (ask) => uptimes(db.kysely, ask),
    },
  });

  const apiPort = createApiPort({ certificate: certificates.api, clock, log, ...api });
  const agentServer = createSecureServer(
    agentPortOptions(certificates.gateway),
    withSafeAuthority(gateway.handler),
  );
  gateway.attach(agentServer);
  await gateway.start();
  const httpsPort = await listenOn('VANTAGE_HTTPS_PORT', config.httpsPort, () =>
    apiPort.listen(config.httpsPort, listen),
  );
  const agentPort = await listenOn('VANTAGE_AGENT_PORT', config.agentPort, () =>
    listenHttp2(agentServer, config.agentPort, listen),
  );
  log.info({ controllerId, httpsPort, agentPort }, 'the controller serves');

  const renew = (next: typeof certificates) => {
    apiPort.renew(next.api);
    agentServer.setSecureContext(secureContextOptions(next.gateway));
  };
  const loops = [
    assign.run(ending),
    health.run(db.kysely, ending),
    housekeeping.run(ending),
    keepCertificates({ config, clock, log, current: certificates, onChange: renew }, ending),
    ...(database ? [database.run(ending)] : []),
  ];
  const { apiHost, gatewayHost, apiTrustFile, caFile } = certificates;
  const inUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);
  process.send?.({
    type: 'ready',
    base_url: `https://${inUrl(apiHost)}:${httpsPort}/v1.1`,
    agent_endpoint: `https://${inUrl(gatewayHost)}:${agentPort}`,
    ca_file: apiTrustFile,
    agent_ca_file: caFile,
    database_url: databaseUrl,
  });
  await Promise.race([whenAborted(ending), Promise.all(loops)]);
  log.info({ reason: String(ending.reason) }, 'ending');
  agentServer.close();
  const closed = Promise.allSettled([
    apiPort.close(1_000),
    gateway.close(),
    ...loops,
    api[Symbol.asyncDispose]().then(() => feed[Symbol.asyncDispose]()),
  ]);
  await Promise.race([closed.then(() => db.close()), clock.sleep(endMs)]);
}

const loaded = await validateSettings();
if (!loaded.ok) {
  for (const problem of loaded.problems) console.error(`vantage controller: ${problem}`);
  process.exit(2);
}
const log = createLog('controller', loaded.config.logLevel);
try {
  await run(loaded.config, log, shutdownSignal());
  process.exit(0);
} catch (error) {
  const data = error instanceof Fault ? error.data : {};
  log.fatal(
    { ...data, stack: error instanceof Fault ? undefined : error instanceof Error ? error.stack : undefined },
    messageOf(error),
  );
  process.exit(1);
}

import { mkdirSync } from 'node:fs';
import { uptime } from 'node:os';
import { type Logger, onSignal, shutdownSignal, systemClock, whenAborted } from '@vantage/kernel';
import { watchMove } from '@vantage/storage-ops/copy';
import { createSharedClock } from './agents/clocks/index.ts';
import type { ControllerConfig } from './config/controller-config.ts';
import { runProgram } from './config/run-controller.ts';
import { joinApi } from './roles/api-role.ts';
import { joinGateway } from './roles/gateway-role.ts';
import { type Base, openBase } from './roles/open-base.ts';
import { joinShared } from './roles/shared-steps.ts';
import { joinWorker } from './roles/worker-role.ts';
import { announceReady } from './server/api-address.ts';
import { type ControllerDatabase, openControllerDatabase } from './server/controller-database.ts';
import { openMetricsPort, openPorts } from './server/open-ports.ts';

/** The time for loops and connections to end, after which the database is stopped. */
const endMs = 3_000;

/** Reports to the supervisor, if there is one, which part of the start has been completed. */
const progress = (text: string) => void process.send?.({ type: 'progress', text });

/** Starts the database if it is embedded, serves until `ending` aborts, and stops the database. */
async function run(config: ControllerConfig, log: Logger, ending: AbortSignal): Promise<void> {
  const clock = createSharedClock(systemClock, () => uptime() * 1000);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const database = await openControllerDatabase({ config, clock, log, ending, onWait: progress });
  if (database.embedded) progress('the database runs');
  try {
    const { url: databaseUrl, config: used, isMoved } = database;
    const base = await openBase({ config: used, clock, log, databaseUrl, isMoved, ending, progress });
    await serve(base, joinRoles(base), { ending, embedded: database.embedded });
  } finally {
    await database.embedded?.stop();
  }
}

/** Joins the steps along the data flow: each step receives the functions that it needs. */
function joinRoles(base: Base) {
  const shared = joinShared(base);
  const gateway = joinGateway(base, shared);
  const api = joinApi(base, shared, gateway);
  return { shared, gateway, api, worker: joinWorker(base, shared, gateway) };
}

/** Opens the ports and runs the loops of this process's roles until `ending` aborts. Rejects when a loop fails. */
async function serve(
  base: Base,
  { shared, gateway: agents, api, worker }: ReturnType<typeof joinRoles>,
  { ending, embedded }: { readonly ending: AbortSignal } & Pick<ControllerDatabase, 'embedded'>,
): Promise<void> {
  const { config, clock, log, db, certificates } = base;
  await using _tracing = base.tracing;
  const { gateway, agentPortHandlers } = agents;
  const { feed, notify, heartbeats } = shared;
  using _handlers = agentPortHandlers;
  const handler = base.metrics.measureRequests(base.tracing.traceRequests(api.handler));
  const ports = await openPorts({
    config,
    clock,
    log,
    certificates: certificates.current,
    gateway,
    agentPortHandlers,
    api,
    handler,
  });
  const { httpsPort, agentPort } = ports;
  base.apiAddress.opened(httpsPort);
  base.metrics.watch({ ...base, gateway, feed, notify, sums: worker.sums });
  await using _metrics = await openMetricsPort(config, base.metrics);
  using _hangup = onSignal('SIGHUP', () => certificates.again());
  log.info(
    { controllerId: base.controllerId, roles: [...config.roles], httpsPort, agentPort },
    'the controller serves',
  );
  const loops = [
    ...(config.roles.has('worker') ? worker.run(ending) : []),
    ...(config.roles.has('gateway') ? agents.run(ending) : []),
    ...(config.roles.has('api') ? [heartbeats.receiving.run(ending)] : []),
    base.clocks.run(ending),
    base.continuity.run(ending),
    base.disk.run(ending),
    base.findings.run(ending),
    watchMove({ kysely: db.kysely, clock }, ending),
    certificates.keep((next) => ports.renew(next), ending),
    ...[embedded, db.primary, db.replica].flatMap((part) => part?.run(ending) ?? []),
  ];
  announceReady({ certificates: certificates.current, databaseUrl: base.databaseUrl }, ports);
  await Promise.race([whenAborted(ending), Promise.all(loops)]);
  log.info({ reason: String(ending.reason) }, 'ending');
  const served = api[Symbol.asyncDispose]().then(() => feed[Symbol.asyncDispose]());
  const closed = Promise.allSettled([ports.close(), gateway.close(), ...loops, served]);
  await Promise.race([closed.then(() => db.close()), clock.sleep(endMs)]);
}

await runProgram((config, log) => run(config, log, shutdownSignal()));

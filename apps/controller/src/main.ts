import { mkdirSync } from 'node:fs';
import { uptime } from 'node:os';
import { type Logger, onSignal, shutdownSignal, systemClock, whenAborted } from '@vantage/kernel';
import { createHeldClock } from './platform/clocks/index.ts';
import type { Config } from './platform/config/config.ts';
import { runProgram } from './platform/config/load-settings.ts';
import { watchMove } from './platform/db/copy/index.ts';
import { announceReady } from './platform/server/announce.ts';
import { type DatabasePlace, openDatabasePlace } from './platform/server/database-place.ts';
import { openMetricsPort, openPorts } from './platform/server/open-ports.ts';
import { joinApi } from './roles/api.ts';
import { type Base, openBase } from './roles/base.ts';
import { joinGateway } from './roles/gateway.ts';
import { joinShared } from './roles/shared.ts';
import { joinWorker } from './roles/worker.ts';

/** Loops and connections get this long to end; the database is ended after that in any case. */
const endMs = 3_000;

/** Reports to the supervisor, if there is one, which part of the start is done. */
const progress = (text: string) => void process.send?.({ type: 'progress', text });

/** Starts the database if it is the controller's own, serves until `ending` aborts, and stops the database again. */
async function run(config: Config, log: Logger, ending: AbortSignal): Promise<void> {
  const clock = createHeldClock(systemClock, () => uptime() * 1000);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const place = await openDatabasePlace({ config, clock, log, ending, onWait: progress });
  if (place.embedded) progress('the database runs');
  try {
    const { url: databaseUrl, config: used, isMoved } = place;
    const base = await openBase({ config: used, clock, log, databaseUrl, isMoved, ending, progress });
    await serve(base, joinRoles(base), { ending, embedded: place.embedded });
  } finally {
    await place.embedded?.stop();
  }
}

/** Joins the steps along the data flow: each gets the functions of the others. */
function joinRoles(base: Base) {
  const shared = joinShared(base);
  const gateway = joinGateway(base, shared);
  const api = joinApi(base, shared, gateway);
  return { shared, gateway, api, worker: joinWorker(base, shared, gateway) };
}

/** Opens the ports and runs the loops of this process's roles until `ending` aborts. Rejects when a loop breaks. */
async function serve(
  base: Base,
  { shared, gateway: agents, api, worker }: ReturnType<typeof joinRoles>,
  { ending, embedded }: { readonly ending: AbortSignal } & Pick<DatabasePlace, 'embedded'>,
): Promise<void> {
  const { config, clock, log, db, certificates } = base;
  await using _tracing = base.tracing;
  const { gateway, agentPortHandlers } = agents;
  const { feed, notify } = shared;
  using _door = agentPortHandlers;
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
  base.metrics.watch({ ...base, gateway, feed, notify });
  await using _metrics = await openMetricsPort(config, base.metrics);
  using _hangup = onSignal('SIGHUP', () => certificates.again());
  log.info(
    { controllerId: base.controllerId, roles: [...config.roles], httpsPort, agentPort },
    'the controller serves',
  );
  const loops = [
    ...(config.roles.has('worker') ? worker.run(ending) : []),
    ...(config.roles.has('gateway') ? agents.run(ending) : []),
    base.clocks.run(ending),
    base.continuity.run(ending),
    base.disk.run(ending),
    base.findings.run(ending),
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

await runProgram((config, log) => run(config, log, shutdownSignal()));

import { createAssign } from '../agents/assign/assign.ts';
import { deleteControllers } from '../agents/gateway/index.ts';
import { runRequests } from '../agents/run-requests/index.ts';
import { createWorkReader, runHeartbeat } from '../alerts/deliver/index.ts';
import { createDayPacker, createHousekeeping, createTakeWaiting } from '../checks/ingest/index.ts';
import { rollUps } from '../checks/rollup/index.ts';
import { deleteOldAnswers } from '../rest/http/idempotency-record-store.ts';
import { trimCheckpoints } from '../status/health/index.ts';
import type { Base } from './base.ts';
import type { GatewayRole } from './gateway.ts';
import type { Shared } from './shared.ts';

/** Joins the role of the background work: planning, status, alerts, deliveries and the jobs on stored data. */
export function joinWorker(base: Base, shared: Shared, { gateway }: Pick<GatewayRole, 'gateway'>) {
  const { clock, log, db, controllerId, timeScale } = base;
  const { health, alerts, upgrades, notify } = shared;
  const assign = createAssign({ db, clock, log, controllerId, timeScale });
  const housekeeping = joinHousekeeping(base, shared);
  return {
    /** The loops of this role. */
    run: (ending: AbortSignal): readonly Promise<void>[] => [
      ...[assign, alerts, upgrades, housekeeping].map((step) => step.run(ending)),
      health.run(db.kysely, ending),
      notify.run(ending),
      notify.runHooks(ending),
      notify.runMails(ending),
      heartbeat(base, { ...shared, gateway }, ending),
    ],
  };
}

/** The jobs on stored data. */
function joinHousekeeping(base: Base, { ingest }: Shared) {
  const { clock, log, db, partitions, controllerId: holder, clocks } = base;
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
function dayPacker({ config: { packAfterDays: afterDays, retentionDays }, clock, db, log }: Base) {
  if (afterDays === 'never') return undefined;
  const rolledToUs = async (kysely: typeof db.kysely) => (await rollUps.readProgress(kysely)).rolledToUs;
  return createDayPacker({ db, clock, log, afterDays, retentionDays, rolledToUs });
}

/** Calls the operator's address each minute while ingest, status and deliveries make progress. */
function heartbeat(
  { config, clock, log, metrics, timeScale }: Base,
  { health, notify, gateway }: Pick<Shared, 'health' | 'notify'> & Pick<GatewayRole, 'gateway'>,
  ending: AbortSignal,
): Promise<void> {
  const readWork = createWorkReader({ gateway, health, notify, ingest: () => metrics.ingest });
  return runHeartbeat({ url: config.heartbeatUrl, readWork, clock, log, timeScale }, ending);
}

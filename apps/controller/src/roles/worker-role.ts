import { deleteOldAnswers } from '@vantage/rest-kit/idempotency-record-store';
import { createAssign } from '../agents/assign/assign.ts';
import { deleteControllers } from '../agents/gateway/index.ts';
import { runRequests } from '../agents/run-requests/index.ts';
import { createWorkReader, runHeartbeat } from '../alerts/deliver/index.ts';
import { deleteOldMarks } from '../reading/marks/mark-store.ts';
import { createDayPacker, createHousekeeping, createTakeWaiting } from '../results/ingest/index.ts';
import { createSumSampler, rollUps } from '../results/roll-up/index.ts';
import { trimCheckpoints } from '../results/status/index.ts';
import type { GatewayRole } from './gateway-role.ts';
import type { Base } from './open-base.ts';
import type { Shared } from './shared-steps.ts';

/** Joins the role of the background work: planning, status, alerts, deliveries and the jobs on stored data. */
export function joinWorker(base: Base, shared: Shared, { gateway }: Pick<GatewayRole, 'gateway'>) {
  const { clock, log, db, controllerId, timeScale } = base;
  const { health, alerts, upgrades, notify, heartbeats } = shared;
  const assign = createAssign({ db, clock, log, controllerId, timeScale });
  const housekeeping = joinHousekeeping(base, shared);
  const sums = createSumSampler({ db, clock, log, holder: controllerId, random: Math.random });
  return {
    /** Compares sums with their checks. */
    sums,
    /** The loops of this role. */
    run: (ending: AbortSignal): readonly Promise<void>[] => [
      ...[assign, alerts, upgrades, housekeeping, sums].map((step) => step.run(ending)),
      health.run(db.kysely, ending),
      heartbeats.judging.run(ending),
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
    deleteOldMarks,
    rollUp: rollUps.createRollUp({ db, clock, log }),
    packer: dayPacker(base),
    trim: async (kysely, beforeUs) => {
      await trimCheckpoints(kysely, beforeUs);
      await rollUps.dropValueHours(kysely, beforeUs);
    },
    mayDelete: () => clocks.mayDelete,
    provenUs: async () => {
      const nowUs = Math.min(await clocks.advance(), clock.nowUs());
      return clocks.mayDelete ? await rollUps.retireDays(db.kysely, { nowUs, retentionDays }) : nowUs;
    },
    wasAhead: () => clocks.wasAhead,
    takeWaiting: createTakeWaiting({ kysely: db.kysely, log, ingest, mayRefuse: () => clocks.mayRefuse }),
    deleteRunRequests: runRequests.deleteEnded,
  });
}

/** The packer of old days; undefined: the operator disabled packing. */
function dayPacker({ config: { packAfterDays: afterDays, retentionDays }, clock, db, log }: Base) {
  if (afterDays === 'never') return undefined;
  return createDayPacker({ db, clock, log, afterDays, retentionDays, isRolledUp: rollUps.isRolledUp });
}

/** Calls the operator's address every minute while ingest, status and deliveries make progress. */
function heartbeat(
  { config, clock, log, metrics, timeScale }: Base,
  { health, notify, gateway }: Pick<Shared, 'health' | 'notify'> & Pick<GatewayRole, 'gateway'>,
  ending: AbortSignal,
): Promise<void> {
  const readWork = createWorkReader({ gateway, health, notify, ingest: () => metrics.ingest });
  return runHeartbeat({ url: config.heartbeatUrl, readWork, clock, log, timeScale }, ending);
}

import type { Clock } from '@vantage/kernel';
import { inTransaction } from './in-transaction.ts';
import { startMaintenance, stopMaintenance } from './manual-maintenance.ts';
import { cancelOccurrence } from './scheduled-window-store.ts';
import { timelines, uptimes } from './uptime.ts';

type Deps = Parameters<typeof startMaintenance>[0] & { readonly clock: Pick<Clock, 'nowUs'> };
/** The functions of health that the REST API calls: maintenance from now on, and uptime. */
export function createRestHealth({ clock, ...deps }: Deps) {
  return {
    startMaintenance: (ask: Omit<Parameters<typeof startMaintenance>[1], 'nowUs'>) =>
      startMaintenance(deps, { ...ask, nowUs: clock.nowUs() }),
    stopMaintenance: (ask: Omit<Parameters<typeof stopMaintenance>[1], 'nowUs'>) =>
      stopMaintenance(deps, { ...ask, nowUs: clock.nowUs() }),
    cancelOccurrence: (ask: Omit<Parameters<typeof cancelOccurrence>[1], 'nowUs'>) =>
      inTransaction(deps.kysely, (trx) => cancelOccurrence(trx, { ...ask, nowUs: clock.nowUs() })),
    uptimes: (ask: Parameters<typeof uptimes>[1]) => uptimes(deps.kysely, ask),
    timelines: (ask: Parameters<typeof timelines>[1]) => timelines(deps.kysely, ask),
  };
}

import type { Clock } from '@vantage/kernel';
import { startMaintenance, stopMaintenance } from './maintenance.ts';
import { timelines, uptimes } from './uptime.ts';

type Deps = Parameters<typeof startMaintenance>[0] & { readonly clock: Pick<Clock, 'nowUs'> };
/** The functions of health that the REST API calls: maintenance from now on, and uptime. */
export function createRestHealth({ clock, ...deps }: Deps) {
  return {
    startMaintenance: (ask: Omit<Parameters<typeof startMaintenance>[1], 'nowUs'>) =>
      startMaintenance(deps, { ...ask, nowUs: clock.nowUs() }),
    stopMaintenance: (ask: Omit<Parameters<typeof stopMaintenance>[1], 'nowUs'>) =>
      stopMaintenance(deps, { ...ask, nowUs: clock.nowUs() }),
    uptimes: (ask: Parameters<typeof uptimes>[1]) => uptimes(deps.kysely, ask),
    timelines: (ask: Parameters<typeof timelines>[1]) => timelines(deps.kysely, ask),
  };
}

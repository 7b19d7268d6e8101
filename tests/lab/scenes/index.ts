import type { Scene } from '../scene.ts';
import { farAnchorFails, nearAnchorFails } from './anchors.ts';
import { autumnNight, springNight } from './dst.ts';
import { controllerKilled, mailServerDown } from './failures.ts';
import { latency } from './latency.ts';
import { agentFrozen, agentKilled, uplinkDies } from './locations.ts';
import { maintenance } from './maintenance.ts';
import { massFailure } from './mass.ts';
import { suggestedMasters } from './masters.ts';
import { randomOrder } from './random-order.ts';
import { retryTable } from './retry-table.ts';
import { routerDies } from './router.ts';

/** The scenes by name, in the order in which `npm run lab` plays them. */
export const scenes: ReadonlyMap<string, Scene> = new Map([
  ['router', routerDies],
  ['random-order', randomOrder],
  ['uplink', uplinkDies],
  ['agent-killed', agentKilled],
  ['agent-frozen', agentFrozen],
  ['controller-killed', controllerKilled],
  ['mail-down', mailServerDown],
  ['maintenance', maintenance],
  ['dst-spring', springNight],
  ['dst-autumn', autumnNight],
  ['retries', retryTable],
  ['latency', latency],
  ['mass', massFailure],
  ['suggested-masters', suggestedMasters],
  ['anchor-near', nearAnchorFails],
  ['anchor-far', farAnchorFails],
]);

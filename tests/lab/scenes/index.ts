import type { Scene } from '../scene.ts';
import { farAnchorFails, nearAnchorFails } from './anchors.ts';
import { closedElsewhere } from './closed-elsewhere.ts';
import { autumnNight, springNight } from './dst.ts';
import { failingContact, failingContactNight } from './failing-contact.ts';
import { controllerKilled, mailServerDown } from './failures.ts';
import { flapping, flappingKilled } from './flapping.ts';
import { flappingAway } from './flapping-away.ts';
import { groupedState } from './grouped-state.ts';
import { lateOutages } from './late.ts';
import { latency } from './latency.ts';
import { locationContacts } from './location-contacts.ts';
import { agentFrozen, agentKilled, uplinkDies } from './locations.ts';
import { maintenance } from './maintenance.ts';
import { masked } from './masked.ts';
import { massFailure } from './mass.ts';
import { suggestedMasters } from './masters.ts';
import { randomOrder } from './random-order.ts';
import { rapid } from './rapid.ts';
import { refused } from './refused.ts';
import { repaired } from './repaired.ts';
import { rapidRetryTable, retryTable } from './retry-table.ts';
import { routerDies } from './router.ts';
import { scheduleChanged } from './schedule-changed.ts';

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
  ['router-rapid', rapid(routerDies)],
  ['random-order-rapid', rapid(randomOrder)],
  ['uplink-rapid', rapid(uplinkDies)],
  ['agent-killed-rapid', rapid(agentKilled)],
  ['controller-killed-rapid', rapid(controllerKilled)],
  ['retries-rapid', rapidRetryTable],
  ['latency-rapid', rapid(latency)],
  ['flapping', flapping],
  ['closed-elsewhere', closedElsewhere],
  ['refused', refused],
  ['location-contacts', locationContacts],
  ['late', lateOutages],
  ['repaired', repaired],
  ['grouped-state', groupedState],
  ['failing-contact', failingContact],
  ['failing-contact-night', failingContactNight],
  ['masked', masked],
  ['schedule-changed', scheduleChanged],
  ['flapping-away', flappingAway],
  ['flapping-killed', flappingKilled],
]);

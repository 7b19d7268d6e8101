import { acknowledge, acknowledgeMany, snooze } from '../alerts/index.ts';
import { builtPage, createHttpApi, readSite } from '../api/index.ts';
import { createChangeRecorder } from '../audit/index.ts';
import { createCatalog } from '../catalog/change.ts';
import { createPauseDevices, insertStates } from '../health/index.ts';
import { deletePackedDays } from '../ingest/index.ts';
import { notificationsOf } from '../notify/index.ts';
import { warningsOf } from '../problems/index.ts';
import { rollUps } from '../rollup/index.ts';
import { runRequests } from '../run-requests/index.ts';
import { insertRollout } from '../upgrades/index.ts';
import type { Base } from './base.ts';
import type { GatewayRole } from './gateway.ts';
import type { Shared } from './shared.ts';

/** Joins REST -> catalog, and history -> REST. */
export function joinApi(
  base: Base,
  { recordEvents, feed, restHealth, notify }: Shared,
  { planInvitation, signedParcels }: Pick<GatewayRole, 'planInvitation' | 'signedParcels'>,
) {
  const { config, clock, log, db, sealer, tracing } = base;
  const recordChanges = createChangeRecorder({ clock });
  return createHttpApi({
    db,
    catalog: createCatalog({ db, recordChanges, limits: config.accountLimits }),
    clock,
    log,
    sealer,
    ...runRequests.createOnRequest({ db, clock }),
    settings: { ...config, ownCertificate: config.tls !== undefined },
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
}

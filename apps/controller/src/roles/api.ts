import { runRequests } from '../agents/run-requests/index.ts';
import { insertRollout } from '../agents/upgrades/index.ts';
import { acknowledge, acknowledgeMany, snooze } from '../alerts/decide/index.ts';
import { notificationsOf } from '../alerts/deliver/index.ts';
import { createCatalog } from '../catalog/change.ts';
import { deletePackedDays } from '../checks/ingest/index.ts';
import { rollUps } from '../checks/rollup/index.ts';
import { createChangeRecorder } from '../observe/audit/record-changes.ts';
import { createHttpApi } from '../rest/api/api.ts';
import { builtPage, readSite } from '../rest/http/serve-site.ts';
import { createPauseDevices, insertStates } from '../status/health/index.ts';
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
    findings: () => base.findings.read(),
    ownFacts: () => ({
      disk: base.disk.space,
      certificateEndUs: base.certificates.apiEndUs,
      backupMaxDays: config.backupMaxDays,
    }),
    health: restHealth,
  });
}

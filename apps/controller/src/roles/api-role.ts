import { readSite } from '@vantage/rest-kit/serve-site';
import { runRequests } from '../agents/run-requests/index.ts';
import { insertRollout, rolloutStage } from '../agents/upgrades/index.ts';
import { acknowledge, acknowledgeMany, snooze } from '../alerts/decide/index.ts';
import { notificationsOf } from '../alerts/deliver/index.ts';
import { createHttpApi } from '../api/api.ts';
import { builtPage } from '../api/built-page.ts';
import { createChangeRecorder } from '../observe/audit/record-changes.ts';
import { createCatalog } from '../resources/change.ts';
import { rollUps } from '../results/roll-up/index.ts';
import { createPauseDevices, insertStates } from '../results/status/index.ts';
import type { GatewayRole } from './gateway-role.ts';
import type { Base } from './open-base.ts';
import type { Shared } from './shared-steps.ts';

/** Joins REST -> catalog, and history -> REST. */
export function joinApi(
  base: Base,
  { recordEvents, feed, restHealth, notify, heartbeats }: Shared,
  { planInvitation, signedParcels }: Pick<GatewayRole, 'planInvitation' | 'signedParcels'>,
) {
  const { config, clock, log, db, sealer, tracing } = base;
  const recordChanges = createChangeRecorder({ clock });
  return createHttpApi({
    db,
    catalog: createCatalog({ recordChanges, limits: config.accountLimits }),
    clock,
    log,
    sealer,
    installation: base.installation,
    ...runRequests.createOnRequest({ db, clock }),
    settings: { ...config, ownCertificate: config.tls !== undefined },
    onRoute: tracing.nameRoute,
    recordEvents,
    rollUps,
    feed,
    insertStates,
    pushAddresses: heartbeats.addresses,
    baseUrl: base.apiAddress.url,
    pause: createPauseDevices({ log, recordEvents, withdrawRetries: runRequests.withdrawRetries }),
    deleteHistory: [rollUps.deleteRollUps],
    notificationsOf,
    pages: [...notify.pages({ acknowledge, acknowledgeMany, snooze }), ...heartbeats.routes],
    site: readSite(builtPage),
    planInvitation,
    upgrades: { signedParcels, startRollout: insertRollout, rolloutStage },
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

import { mergeHistograms, middleMs, percentiles, rankOf, scale } from '@vantage/health';
import { manyAlertRoutes } from '../../alerts/decide/many-routes.ts';
import { type AlertRouteDeps, alertRoutes } from '../../alerts/decide/routes.ts';
import { deliveryRoutes } from '../../alerts/deliver/delivery-routes.ts';
import { type AccountRouteDeps, accountRoutes } from '../../catalog/accounts/routes.ts';
import { invitationRoutes, type PlanInvitation } from '../../catalog/agents/invitation-routes.ts';
import { type AgentRouteDeps, agentRoutes } from '../../catalog/agents/routes.ts';
import { upgradeRoutes } from '../../catalog/agents/upgrade-routes.ts';
import { type ContactRouteDeps, contactRoutes } from '../../catalog/contacts/routes.ts';
import { deviceChangeRoutes } from '../../catalog/device-changes/routes.ts';
import { type Maintenance, maintenanceRoutes } from '../../catalog/devices/maintenance-routes.ts';
import { type DeviceRouteDeps, deviceRoutes, deviceSubject } from '../../catalog/devices/routes.ts';
import { type TrialRouteDeps, trialRoutes } from '../../catalog/devices/trial-routes.ts';
import { hookRoutes } from '../../catalog/hooks/routes.ts';
import { type KeyRouteDeps, keyRoutes } from '../../catalog/keys/routes.ts';
import { locationRoutes } from '../../catalog/locations/routes.ts';
import { maintenanceListRoutes } from '../../catalog/maintenance/routes.ts';
import { mscheduleRoutes } from '../../catalog/mschedules/routes.ts';
import { nscheduleRoutes } from '../../catalog/nschedules/routes.ts';
import { pageRoutes } from '../../catalog/pages/routes.ts';
import { reportRoutes } from '../../catalog/reports/routes.ts';
import { secretRoutes } from '../../catalog/secrets/routes.ts';
import { type SessionRouteDeps, sessionRoutes } from '../../catalog/sessions/routes.ts';
import { type SignInSettingsDeps, signInRoutes } from '../../catalog/sessions/sign-in-routes.ts';
import { type ReadTimelines, stateRoutes } from '../../catalog/states/routes.ts';
import { summaryRoutes } from '../../catalog/states/summary-routes.ts';
import { tagMaintenanceRoutes } from '../../catalog/tags/maintenance-routes.ts';
import { tagRoutes } from '../../catalog/tags/routes.ts';
import { passwordRoutes } from '../../catalog/users/password-routes.ts';
import { type UserRouteDeps, userRoutes } from '../../catalog/users/routes.ts';
import { type CheckNow, checkRoutes, showTrial, trialRecord } from '../../checks/history/check-routes.ts';
import { eventRoutes } from '../../checks/history/event-routes.ts';
import { oneOutageRoutes } from '../../checks/history/one-outage-routes.ts';
import { outageRoutes } from '../../checks/history/outage-routes.ts';
import { type RollUpReader, statisticsRoutes } from '../../checks/history/statistics-routes.ts';
import { suggestMasterRoutes } from '../../checks/history/suggest-master-routes.ts';
import { timelineRoutes } from '../../checks/history/timeline-routes.ts';
import { tracerouteRoutes } from '../../checks/history/traceroute-routes.ts';
import { type ReadUptimes, uptimeRoutes } from '../../checks/history/uptime-routes.ts';
import { auditRoutes } from '../../observe/audit/routes.ts';
import { installationRoutes, type OwnFacts } from '../../observe/metrics/installation-routes.ts';
import { batchRoutes } from '../http/batch.ts';
import type { Route } from '../http/route.ts';
import { helloRoutes } from './hello.ts';
import { openApiRoutes } from './openapi/routes.ts';

/** Dependencies of the routes. */
export interface RouteDeps extends DeviceRouteDeps, ContactRouteDeps {
  readonly recordEvents: DeviceRouteDeps['recordEvents'] & AgentRouteDeps['recordEvents'];
  readonly feed: Parameters<typeof eventRoutes>[0]['feed'];
  readonly health: Maintenance & { readonly uptimes: ReadUptimes; readonly timelines: ReadTimelines };
  readonly checkNow: CheckNow;
  readonly runTrial: TrialRouteDeps<Parameters<typeof showTrial>[0]>['runTrial'];
  readonly planInvitation: PlanInvitation;
  readonly upgrades: Parameters<typeof upgradeRoutes>[0]['upgrades'];
  readonly rollUps: RollUpReader;
  readonly notificationsOf: AlertRouteDeps['notificationsOf'];
  readonly retentionDays: number;
  readonly version: string;
  readonly onAccountChanged: AccountRouteDeps['onChanged'];
  readonly onKeyChanged: KeyRouteDeps['onKeyChanged'];
  readonly baseUrl: UserRouteDeps['baseUrl'];
  readonly mailPerson?: UserRouteDeps['mailPerson'];
  readonly signIn: Omit<SessionRouteDeps, 'catalog' | 'db'>;
  readonly signInSettings: Pick<SignInSettingsDeps, 'oidc' | 'signInHeader' | 'trustedProxies'>;
  /** The findings for the operator. Never rejects. */
  readonly findings: Parameters<typeof installationRoutes>[0]['findings'];
  readonly ownFacts: () => OwnFacts | undefined;
}

const histograms = { scale, merge: mergeHistograms, percentiles, rankOf, middleMs };

/** THE route table: routing, validation and the OpenAPI document are made of it. */
export function createRoutes(deps: RouteDeps): readonly Route[] {
  const { db, clock, health, checkNow } = deps;
  const device = deviceSubject(db);
  const change: AlertRouteDeps['change'] &
    Parameters<typeof oneOutageRoutes>[0]['change'] &
    Parameters<typeof deliveryRoutes>[0]['change'] = ({ keyNo, address }, work) =>
    deps.catalog.change({ kind: 'api-key', keyNo, address }, work);
  const alerts: AlertRouteDeps = { db, clock, notificationsOf: deps.notificationsOf, change };
  return [
    ...helloRoutes(clock),
    ...trialRoutes({ ...deps, record: trialRecord, show: showTrial }),
    ...checkRoutes({ db, clock, device, checkNow }),
    ...deviceRoutes(deps),
    ...deviceChangeRoutes({ ...deps, maintenance: health }),
    ...summaryRoutes({ db, clock }),
    ...stateRoutes({ db, clock, timelines: (...ask) => health.timelines(...ask) }),
    ...eventRoutes({ db, clock, device, feed: deps.feed }),
    ...maintenanceRoutes({ ...deps, maintenance: health }),
    ...maintenanceListRoutes({ ...deps, maintenance: health }),
    ...outageRoutes({ db, clock, device }),
    ...oneOutageRoutes({ db, clock, change }),
    ...suggestMasterRoutes({ db, clock, device }),
    ...tracerouteRoutes({ db, clock, device, checkNow }),
    ...timelineRoutes({ db, clock, timelines: (...ask) => health.timelines(...ask) }),
    ...uptimeRoutes({ db, clock, device, uptimes: (ask) => health.uptimes(ask) }),
    ...statisticsRoutes({ db, clock, device, rollUps: deps.rollUps, histograms }),
    ...tagRoutes(deps),
    ...tagMaintenanceRoutes({ ...deps, maintenance: health }),
    ...accountRoutes({ ...deps, onChanged: deps.onAccountChanged }),
    ...locationRoutes(deps),
    ...agentRoutes(deps),
    ...invitationRoutes(deps),
    ...upgradeRoutes(deps),
    ...contactRoutes(deps),
    ...deliveryRoutes({ db, clock, change }),
    ...hookRoutes(deps),
    ...pageRoutes(deps),
    ...reportRoutes(deps),
    ...nscheduleRoutes(deps),
    ...mscheduleRoutes(deps),
    ...secretRoutes(deps),
    ...manyAlertRoutes(alerts),
    ...alertRoutes(alerts),
    ...keyRoutes(deps),
    ...userRoutes(deps),
    ...sessionRoutes({ catalog: deps.catalog, db, ...deps.signIn }),
    ...passwordRoutes({ ...deps, identifyPerson: deps.signIn.identifyPerson }),
    ...signInRoutes({ ...deps.signInSettings, db, baseUrl: deps.baseUrl }),
    ...auditRoutes({ db, clock }),
    ...installationRoutes(deps),
    ...batchRoutes({ clock, inTransaction: (work) => db.inWholeTransaction(work) }),
    ...openApiRoutes(deps.version),
  ];
}

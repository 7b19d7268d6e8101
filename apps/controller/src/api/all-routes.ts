import { mergeHistograms, middleMs, percentiles, rankOf, scale } from '@vantage/health';
import { batchRoutes } from '@vantage/rest-kit/batch-routes';
import type { Route } from '@vantage/rest-kit/route';
import { type AccountRouteDeps, accountRoutes } from '../access/accounts/account-routes.ts';
import { type KeyRouteDeps, keyRoutes } from '../access/keys/key-routes.ts';
import { type SessionRouteDeps, sessionRoutes } from '../access/sessions/session-routes.ts';
import { type SignInSettingsDeps, signInRoutes } from '../access/sign-in/sign-in-routes.ts';
import { passwordRoutes } from '../access/users/password-routes.ts';
import { type UserRouteDeps, userRoutes } from '../access/users/user-routes.ts';
import { type AlertRouteDeps, alertRoutes } from '../alerts/decide/alert-routes.ts';
import { manyAlertRoutes } from '../alerts/decide/many-alert-routes.ts';
import { deliveryRoutes } from '../alerts/deliver/delivery-routes.ts';
import { type AgentRouteDeps, agentRoutes } from '../catalog/agents/agent-routes.ts';
import { upgradeRoutes } from '../catalog/agents/agent-upgrade-routes.ts';
import { invitationRoutes, type PlanInvitation } from '../catalog/agents/invitation-routes.ts';
import { rolloutRoutes } from '../catalog/agents/rollout-routes.ts';
import { type ContactRouteDeps, contactRoutes } from '../catalog/contacts/contact-routes.ts';
import { deviceChangeRoutes } from '../catalog/device-changes/device-change-routes.ts';
import { type DeviceMaintenance, maintenanceRoutes } from '../catalog/devices/device-maintenance-routes.ts';
import { type DeviceRouteDeps, deviceRoutes, deviceSubject } from '../catalog/devices/device-routes.ts';
import { type TrialRouteDeps, trialRoutes } from '../catalog/devices/trial-routes.ts';
import { hookRoutes } from '../catalog/hooks/hook-routes.ts';
import { importRoutes } from '../catalog/imports/import-routes.ts';
import {
  installationSettingsRoutes,
  type SettingsRouteDeps,
} from '../catalog/installation/installation-settings-routes.ts';
import { locationRoutes } from '../catalog/locations/location-routes.ts';
import { maintenanceListRoutes } from '../catalog/maintenance/maintenance-routes.ts';
import { mscheduleRoutes } from '../catalog/maintenance/maintenance-schedule-routes.ts';
import { nscheduleRoutes } from '../catalog/schedules/schedule-routes.ts';
import { secretRoutes } from '../catalog/secrets/secret-routes.ts';
import { tagMaintenanceRoutes } from '../catalog/tags/tag-maintenance-routes.ts';
import { tagRoutes } from '../catalog/tags/tag-routes.ts';
import { auditRoutes } from '../observe/audit/audit-routes.ts';
import { type ControllerState, installationRoutes } from '../observe/metrics/installation-routes.ts';
import { type CheckDeviceNow, checkRoutes, showTrial, trialRecord } from '../reading/history/check-routes.ts';
import { eventRoutes } from '../reading/history/event-routes.ts';
import { tracerouteRoutes } from '../reading/history/traceroute-routes.ts';
import { markRoutes } from '../reading/marks/mark-routes.ts';
import { oneOutageRoutes } from '../reading/outages/one-outage-routes.ts';
import { outageRoutes } from '../reading/outages/outage-routes.ts';
import { reportRoutes } from '../reading/reports/report-routes.ts';
import { type ReadTimelines, stateRoutes } from '../reading/states/state-routes.ts';
import { summaryRoutes } from '../reading/states/summary-routes.ts';
import { type RollUpReader, statisticsRoutes } from '../reading/statistics/statistics-routes.ts';
import { pageRoutes } from '../reading/status-pages/status-page-routes.ts';
import { suggestMasterRoutes } from '../reading/suggest-master/suggest-master-routes.ts';
import { timelineRoutes } from '../reading/timeline/timeline-routes.ts';
import { type ReadUptimes, uptimeRoutes } from '../reading/uptime/uptime-routes.ts';
import type { ValueRollUps } from '../reading/values/read-values.ts';
import { valueRoutes } from '../reading/values/value-routes.ts';
import { actorOf, type ChangeByCaller } from '../resources/change.ts';
import { isOperators } from '../resources/operator-account.ts';
import { heartbeatRoutes } from '../results/heartbeats/heartbeat-routes.ts';
import { quarantineRoutes } from '../results/ingest/quarantine-routes.ts';
import { helloRoutes } from './hello.ts';
import { openApiRoutes } from './openapi/openapi-routes.ts';

/** Dependencies of the routes. */
export interface RouteDeps
  extends DeviceRouteDeps,
    Omit<ContactRouteDeps, 'installation'>,
    SettingsRouteDeps {
  readonly recordEvents: DeviceRouteDeps['recordEvents'] & AgentRouteDeps['recordEvents'];
  readonly feed: Parameters<typeof eventRoutes>[0]['feed'];
  readonly health: DeviceMaintenance & { readonly uptimes: ReadUptimes; readonly timelines: ReadTimelines };
  readonly checkNow: CheckDeviceNow;
  readonly runTrial: TrialRouteDeps<Parameters<typeof showTrial>[0]>['runTrial'];
  readonly planInvitation: PlanInvitation;
  readonly upgrades: Parameters<typeof upgradeRoutes>[0]['upgrades'] &
    Parameters<typeof rolloutRoutes>[0]['upgrades'];
  readonly rollUps: RollUpReader & ValueRollUps;
  readonly notificationsOf: AlertRouteDeps['notificationsOf'];
  readonly retentionDays: number;
  readonly version: string;
  readonly onAccountChanged: AccountRouteDeps['onChanged'];
  readonly onKeyChanged: KeyRouteDeps['onKeyChanged'];
  readonly baseUrl: UserRouteDeps['baseUrl'];
  readonly mailPerson: UserRouteDeps['mailPerson'];
  readonly signIn: Omit<SessionRouteDeps, 'catalog'>;
  readonly signInSettings: Pick<SignInSettingsDeps, 'oidc' | 'signInHeader' | 'trustedProxies'>;
  /** The findings for the operator. Never rejects. */
  readonly findings: Parameters<typeof installationRoutes>[0]['findings'];
  readonly ownFacts: () => ControllerState | undefined;
}

const histograms = { scale, merge: mergeHistograms, percentiles, rankOf, middleMs };

/** THE route table: routing, validation and the OpenAPI document are made of it. */
export function createRoutes(deps: RouteDeps): readonly Route[] {
  const { clock, health, checkNow } = deps;
  const device = deviceSubject;
  const change: ChangeByCaller = (db, session, work) => deps.catalog.change(db, actorOf(session), work);
  const alerts: AlertRouteDeps = { clock, notificationsOf: deps.notificationsOf, change };
  return [
    ...helloRoutes(clock),
    ...trialRoutes({ ...deps, record: trialRecord, show: showTrial }),
    ...checkRoutes({ clock, device, checkNow }),
    ...deviceRoutes(deps),
    ...importRoutes(),
    ...heartbeatRoutes({ device, change, baseUrl: deps.baseUrl }),
    ...deviceChangeRoutes({ ...deps, maintenance: health }),
    ...summaryRoutes({ clock }),
    ...stateRoutes({ clock, timelines: (...ask) => health.timelines(...ask) }),
    ...eventRoutes({ clock, device, feed: deps.feed }),
    ...maintenanceRoutes({ ...deps, maintenance: health }),
    ...maintenanceListRoutes({ ...deps, maintenance: health }),
    ...outageRoutes({ clock, device }),
    ...oneOutageRoutes({ clock, change }),
    ...markRoutes({ clock, device, change }),
    ...suggestMasterRoutes({ clock, device }),
    ...tracerouteRoutes({ clock, device, checkNow }),
    ...timelineRoutes({ clock, timelines: (...ask) => health.timelines(...ask) }),
    ...uptimeRoutes({ clock, device, uptimes: (...ask) => health.uptimes(...ask) }),
    ...statisticsRoutes({ clock, device, rollUps: deps.rollUps, histograms }),
    ...valueRoutes({ clock, device, rollUps: deps.rollUps }),
    ...tagRoutes(deps),
    ...tagMaintenanceRoutes({ ...deps, maintenance: health }),
    ...accountRoutes({ ...deps, onChanged: deps.onAccountChanged }),
    ...locationRoutes(deps),
    ...agentRoutes(deps),
    ...invitationRoutes(deps),
    ...upgradeRoutes(deps),
    ...rolloutRoutes(deps),
    ...quarantineRoutes({ change }),
    ...contactRoutes(deps),
    ...deliveryRoutes({ clock, change }),
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
    ...sessionRoutes({ catalog: deps.catalog, ...deps.signIn }),
    ...passwordRoutes({ ...deps, identifyPerson: deps.signIn.identifyPerson }),
    ...signInRoutes({ ...deps.signInSettings, baseUrl: deps.baseUrl }),
    ...auditRoutes({ clock }),
    ...installationRoutes({ ...deps, isOperators }),
    ...installationSettingsRoutes(deps),
    ...batchRoutes({ clock }),
    ...openApiRoutes(deps.version),
  ];
}

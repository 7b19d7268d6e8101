import type { ComponentType } from 'preact';
import type { ScreenProps } from './screen-props.ts';

interface ScreenEntry {
  readonly pattern: RegExp;
  readonly load: () => Promise<ComponentType<ScreenProps>>;
}

/** Every screen by its address. A screen is loaded when it is first opened. */
export const screenList: readonly ScreenEntry[] = [
  { pattern: /^\/$/, load: async () => (await import('./screens/overview/overview.tsx')).OverviewScreen },
  { pattern: /^\/devices$/, load: async () => (await import('./screens/devices/devices.tsx')).DevicesScreen },
  {
    pattern: /^\/devices\/(new)$/,
    load: async () => (await import('./screens/device-form/device-form.tsx')).DeviceFormScreen,
  },
  {
    pattern: /^\/devices\/new\/many$/,
    load: async () => (await import('./screens/device-form/add-many.tsx')).AddManyScreen,
  },
  {
    pattern: /^\/devices\/([0-9a-f]+)\/edit$/,
    load: async () => (await import('./screens/device-form/device-form.tsx')).DeviceFormScreen,
  },
  {
    pattern: /^\/devices\/([0-9a-f]+)$/,
    load: async () => (await import('./screens/device/device.tsx')).DeviceScreen,
  },
  {
    pattern: /^\/alerts(?:\/([0-9a-f]+))?$/,
    load: async () => (await import('./screens/alerts/alerts.tsx')).AlertsScreen,
  },
  {
    pattern: /^\/outages$/,
    load: async () => (await import('./screens/outages/outages.tsx')).OutagesScreen,
  },
  { pattern: /^\/events$/, load: async () => (await import('./screens/events/events.tsx')).EventsScreen },
  {
    pattern: /^\/locations$/,
    load: async () => (await import('./screens/locations/locations.tsx')).LocationsScreen,
  },
  {
    pattern: /^\/locations\/upgrades$/,
    load: async () => (await import('./screens/rollouts/rollouts.tsx')).RolloutsScreen,
  },
  {
    pattern: /^\/locations\/quarantine$/,
    load: async () => (await import('./screens/quarantine/quarantine.tsx')).QuarantineScreen,
  },
  {
    pattern: /^\/locations\/([0-9a-f]{48})$/,
    load: async () => (await import('./screens/locations/location.tsx')).LocationScreen,
  },
  {
    pattern: /^\/locations\/agents\/([0-9a-f]{48})$/,
    load: async () => (await import('./screens/locations/agent.tsx')).AgentScreen,
  },
  {
    pattern: /^\/schedules$/,
    load: async () => (await import('./screens/schedules/schedules.tsx')).SchedulesScreen,
  },
  {
    pattern: /^\/schedules\/(new|[0-9a-f]+)$/,
    load: async () => (await import('./screens/schedules/schedule.tsx')).ScheduleScreen,
  },
  { pattern: /^\/reports$/, load: async () => (await import('./screens/reports/reports.tsx')).ReportsScreen },
  { pattern: /^\/people$/, load: async () => (await import('./screens/people/people.tsx')).PeopleScreen },
  { pattern: /^\/tags$/, load: async () => (await import('./screens/tags/tags.tsx')).TagsScreen },
  {
    pattern: /^\/secrets$/,
    load: async () => (await import('./screens/secrets/secrets.tsx')).SecretsScreen,
  },
  { pattern: /^\/hooks$/, load: async () => (await import('./screens/hooks/hooks.tsx')).HooksScreen },
  {
    pattern: /^\/password$/,
    load: async () => (await import('./screens/password/password.tsx')).PasswordScreen,
  },
  {
    pattern: /^\/status-pages$/,
    load: async () => (await import('./screens/status-pages/status-pages.tsx')).StatusPagesScreen,
  },
  {
    pattern: /^\/status-pages\/(new|[0-9a-f]+)$/,
    load: async () => (await import('./screens/status-pages/status-page.tsx')).StatusPageScreen,
  },
  {
    pattern: /^\/account$/,
    load: async () => (await import('./screens/account/account.tsx')).AccountScreen,
  },
  { pattern: /^\/audit$/, load: async () => (await import('./screens/audit/audit.tsx')).AuditScreen },
  {
    pattern: /^\/schedules\/contacts$/,
    load: async () => (await import('./screens/contacts/contacts.tsx')).ContactsScreen,
  },
  {
    pattern: /^\/schedules\/contacts\/(new|[0-9a-f]+)$/,
    load: async () => (await import('./screens/contacts/contact.tsx')).ContactScreen,
  },
  {
    pattern: /^\/schedules\/maintenance$/,
    load: async () => (await import('./screens/maintenance/maintenance.tsx')).MaintenanceScreen,
  },
  {
    pattern: /^\/schedules\/maintenance\/(new|[0-9a-f]+)$/,
    load: async () => (await import('./screens/maintenance/recurring.tsx')).RecurringScreen,
  },
];

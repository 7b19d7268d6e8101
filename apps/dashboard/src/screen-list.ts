import type { ComponentType } from 'preact';
import type { ScreenProps } from './screen-props.ts';

interface ScreenEntry {
  readonly pattern: RegExp;
  readonly load: () => Promise<ComponentType<ScreenProps>>;
}

/** Every screen by its address. Each is a file of its own, which is loaded when it is first opened. */
export const screenList: readonly ScreenEntry[] = [
  { pattern: /^\/$/, load: async () => (await import('./screens/overview/overview.tsx')).Overview },
  { pattern: /^\/devices$/, load: async () => (await import('./screens/devices/devices.tsx')).Devices },
  { pattern: /^\/devices\/(new)$/, load: async () => (await import('./screens/edit/edit.tsx')).Edit },
  { pattern: /^\/devices\/new\/many$/, load: async () => (await import('./screens/edit/many.tsx')).Many },
  {
    pattern: /^\/devices\/([0-9a-f]+)\/edit$/,
    load: async () => (await import('./screens/edit/edit.tsx')).Edit,
  },
  {
    pattern: /^\/devices\/([0-9a-f]+)$/,
    load: async () => (await import('./screens/device/device.tsx')).Device,
  },
  {
    pattern: /^\/alerts(?:\/([0-9a-f]+))?$/,
    load: async () => (await import('./screens/alerts/alerts.tsx')).Alerts,
  },
  {
    pattern: /^\/locations$/,
    load: async () => (await import('./screens/locations/locations.tsx')).Locations,
  },
  {
    pattern: /^\/schedules$/,
    load: async () => (await import('./screens/schedules/schedules.tsx')).Schedules,
  },
  {
    pattern: /^\/schedules\/(new|[0-9a-f]+)$/,
    load: async () => (await import('./screens/schedules/schedule.tsx')).Schedule,
  },
  { pattern: /^\/reports$/, load: async () => (await import('./screens/reports/reports.tsx')).Reports },
  { pattern: /^\/people$/, load: async () => (await import('./screens/people/people.tsx')).PeopleScreen },
  {
    pattern: /^\/status-pages$/,
    load: async () => (await import('./screens/status-pages/status-pages.tsx')).StatusPages,
  },
  {
    pattern: /^\/status-pages\/(new|[0-9a-f]+)$/,
    load: async () => (await import('./screens/status-pages/status-page.tsx')).StatusPageScreen,
  },
  {
    pattern: /^\/account$/,
    load: async () => (await import('./screens/account/account.tsx')).AccountScreen,
  },
  { pattern: /^\/audit$/, load: async () => (await import('./screens/audit/audit.tsx')).Audit },
  {
    pattern: /^\/schedules\/contacts$/,
    load: async () => (await import('./screens/contacts/contacts.tsx')).Contacts,
  },
  {
    pattern: /^\/schedules\/contacts\/(new|[0-9a-f]+)$/,
    load: async () => (await import('./screens/contacts/contact.tsx')).Contact,
  },
  {
    pattern: /^\/schedules\/maintenance$/,
    load: async () => (await import('./screens/maintenance/maintenance.tsx')).Maintenance,
  },
  {
    pattern: /^\/schedules\/maintenance\/(new|[0-9a-f]+)$/,
    load: async () => (await import('./screens/maintenance/recurring.tsx')).Recurring,
  },
];

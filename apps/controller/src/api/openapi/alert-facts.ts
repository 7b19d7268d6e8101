import type { Fact } from './facts.ts';

/** What the document says of contacts and schedules where their schemas do not; `id` is an id as examples show it. */
export function alertFacts(id: string): Readonly<Record<string, Fact>> {
  const officeStep = { DelayMinutes: 0, Contacts: [id], Days: ['Mon', 'Tue'], From: '08:00', To: '18:00' };
  return {
    'Contact.Name': { text: 'Name of the contact.', example: 'Operations' },
    'Contact.Type': { text: 'How messages reach it.', example: 'email' },
    'ContactCreate.Type': { example: 'email' },
    'ContactUpdate.Type': { example: 'email' },
    'Contact.Address': { example: 'noc@example.org' },
    'Contact.Notify': { example: null },
    'MaintenanceSchedule.Name': { text: 'Name of the schedule.', example: 'Patch Sunday' },
    'MaintenanceSchedule.Start': {
      text: 'Begin of the first window, on the clocks of Timezone.',
      example: '2026-03-01T02:00',
    },
    'MaintenanceScheduleCreate.Duration': { example: '02:00' },
    'MaintenanceScheduleUpdate.Duration': { example: '02:00' },
    'MaintenanceSchedule.Duration': { text: 'How long each window lasts, HH:MM.', example: '02:00' },
    'MaintenanceSchedule.Recurrence': {
      text: 'A rule of RFC 5545; null: once, at Start.',
      example: 'FREQ=WEEKLY;BYDAY=SU',
    },
    EndOnFirstOk: { text: 'The first good check after a bad one inside a window ends it.', example: false },
    LocalStart: { example: '2026-03-01T02:00' },
    'MaintenanceWindow.Note': { example: null },
    'NotificationSchedule.Name': { text: 'Name of the schedule.', example: 'Office hours' },
    'NotificationSchedule.Steps': { example: [officeStep] },
    'NotificationScheduleCreate.Steps': { example: [officeStep] },
    'NotificationScheduleUpdate.Steps': { example: [officeStep] },
    PreviousSecretUntil: { example: null },
    contact_id: { text: 'Id of the contact.', example: id },
    'MaintenanceSchedule.mschedule_id': { text: 'Id of the maintenance schedule.', example: id },
    'NotificationSchedule.nschedule_id': { text: 'Id of the notification schedule.', example: id },
  };
}

import type { SchemaFact } from './openapi-schema.ts';

/**
 * Texts of the document about the states of devices that their schemas lack; `id` is an id and `at` a time as examples
 * show them.
 */
export function stateFacts(id: string, at: string): Readonly<Record<string, SchemaFact>> {
  return {
    'DeviceCounts.Up': { text: 'Devices that are Up.', example: 4102 },
    'DeviceCounts.Down': { text: 'Devices that are Down.', example: 3 },
    'DeviceCounts.Maint': { text: 'Devices in maintenance.', example: 2 },
    'DeviceCounts.Unknown': { text: 'Devices whose status is unknown.', example: 0 },
    'SummaryOfTag.Up': { text: 'Devices that are Up.', example: 4102 },
    'SummaryOfTag.Down': { text: 'Devices that are Down.', example: 3 },
    'SummaryOfTag.Maint': { text: 'Devices in maintenance.', example: 2 },
    'SummaryOfTag.Unknown': { text: 'Devices whose status is unknown.', example: 0 },
    'SummaryOfLocation.Up': { text: 'Devices that are Up.', example: 4102 },
    'SummaryOfLocation.Down': { text: 'Devices that are Down.', example: 3 },
    'SummaryOfLocation.Maint': { text: 'Devices in maintenance.', example: 2 },
    'SummaryOfLocation.Unknown': { text: 'Devices whose status is unknown.', example: 0 },
    ExcludedSeconds: { example: 0 },
    ExcludedOutages: { example: 0 },
    'DeviceCounts.Total': { text: 'All of them.', example: 4107 },
    'DeviceCounts.Paused': { example: 12 },
    'DeviceCounts.Retrying': { example: 1 },
    'AlertCounts.Open': { example: 2 },
    'AlertCounts.Acknowledged': { text: 'Acknowledged alerts.', example: 1 },
    'AlertCounts.Snoozed': { text: 'Snoozed alerts.', example: 0 },
    'AlertCounts.Suppressed': { example: 1 },
    'Summary.Devices': {
      example: { Total: 4107, Up: 4102, Down: 3, Maint: 2, Unknown: 0, Paused: 0, Retrying: 1 },
    },
    'Summary.LastCheck': { example: at },
    'Summary.Tags': {
      text: 'With By=Tag or By=Path: by name.',
      example: [{ tag_id: id, Name: 'berlin/rack-3', Worst: 'Down', Up: 40, Down: 1, Maint: 0, Unknown: 0 }],
    },
    'Summary.Locations': {
      text: 'With By=Location: by name. A device with several Locations counts at each of them.',
      example: [
        { location_id: id, Name: 'local', Online: true, Worst: 'Up', Up: 40, Down: 0, Maint: 0, Unknown: 0 },
      ],
    },
    'DeviceTimeline.Intervals': {
      text: 'In the order of time, without holes.',
      example: [
        { Start: at, End: at, Status: 'Up', Seconds: 3600 },
        { Start: at, End: null, Status: 'Down', Seconds: 48, Mixed: true },
      ],
    },
    'TimelineInterval.Status': { text: 'As users saw it.', example: 'Up' },
    'TimelineInterval.Seconds': { example: 3600 },
    'TimelineInterval.Mixed': { example: true },
    'DeviceState.Locations': {
      text: 'The Locations that check it.',
      example: [{ location_id: id, Name: 'local' }],
    },
    'DeviceState.LastCheck': { example: { Timestamp: at, RequestTime: 48.9, ResultCode: 1 } },
    'DeviceState.Master': { example: { device_id: id, ShortName: 'gw-1' } },
    'DeviceState.Day': { example: `${'U'.repeat(60)}DDD${'U'.repeat(9)}` },
  };
}

/** Texts of the document about contacts and schedules that their schemas lack; `id` is an id as examples show it. */
export function alertFacts(id: string): Readonly<Record<string, SchemaFact>> {
  return {
    delivery_id: { text: 'Id of the delivery.', example: id },
    'Delivery.At': { example: '2026-02-25T23:38:03+01:00' },
    'Delivery.Ended': { example: '2026-02-25T23:38:04+01:00' },
    'Delivery.MergedInto': { example: null },
    'Delivery.Severity': { text: 'Of the message.', example: 'critical' },
    'Contact.Name': { text: 'Name of the contact.', example: 'Operations' },
    'Contact.Type': { text: 'How messages reach it.', example: 'email' },
    'ContactCreate.Type': { example: 'email' },
    'ContactUpdate.Type': { example: 'email' },
    'Contact.Address': { example: 'noc@example.org' },
    'Contact.Notify': { example: null },
    LocalStart: { example: '2026-03-01T02:00' },
    'MaintenanceWindow.Note': { example: null },
    'NotificationSchedulePreview.Severity': { example: 'critical' },
    'NotificationSchedulePreview.Kind': { example: 'device.down' },
    'PreviewedMessage.Steps': { example: [1] },
    'PreviewedMessage.Repeat': { example: false },
    'PreviewedMessage.Contacts': { example: [{ contact_id: id, Name: 'Operations' }] },
    'PreviewedMessage.NotNotified': { example: [] },
    'PreviewedMessage.Text': { example: 'Mon 08:00, after 4 h 50 min: Operations.' },
    maintenance_id: { text: 'Id of the maintenance.', example: id },
    'Maintenance.mschedule_id': { example: null },
    'DeviceMaintenance.mschedule_id': { example: null },
    'Maintenance.Source': { example: 'Manual' },
    'DeviceMaintenance.Source': { example: 'Manual' },
    'Maintenance.Reason': { example: 'Kernel update' },
    'DeviceMaintenance.Reason': { example: 'Kernel update' },
    'Maintenance.By': { example: 'Ada' },
    'DeviceMaintenance.By': { example: 'Ada' },
    'Maintenance.Devices': { example: [id] },
    'Maintenance.DeviceCount': { example: 1 },
    PreviousSecretUntil: { example: null },
    contact_id: { text: 'Id of the contact.', example: id },
    'MaintenanceSchedule.mschedule_id': { text: 'Id of the maintenance schedule.', example: id },
    'NotificationSchedule.nschedule_id': { text: 'Id of the notification schedule.', example: id },
  };
}

import type { Fact } from './schema.ts';

/**
 * Texts of the document about the states of devices that their schemas lack; `id` is an id and `at` a time as examples
 * show them.
 */
export function stateFacts(id: string, at: string): Readonly<Record<string, Fact>> {
  return {
    'DeviceCounts.Up': { text: 'Devices that are Up.', example: 4102 },
    'DeviceCounts.Down': { text: 'Devices that are Down.', example: 3 },
    'DeviceCounts.Maint': { text: 'Devices in maintenance.', example: 2 },
    'DeviceCounts.Unknown': { text: 'Devices of which nobody knows the status.', example: 0 },
    'SummaryOfTag.Up': { text: 'Devices that are Up.', example: 4102 },
    'SummaryOfTag.Down': { text: 'Devices that are Down.', example: 3 },
    'SummaryOfTag.Maint': { text: 'Devices in maintenance.', example: 2 },
    'SummaryOfTag.Unknown': { text: 'Devices of which nobody knows the status.', example: 0 },
    'SummaryOfLocation.Up': { text: 'Devices that are Up.', example: 4102 },
    'SummaryOfLocation.Down': { text: 'Devices that are Down.', example: 3 },
    'SummaryOfLocation.Maint': { text: 'Devices in maintenance.', example: 2 },
    'SummaryOfLocation.Unknown': { text: 'Devices of which nobody knows the status.', example: 0 },
    ExcludedSeconds: { example: 0 },
    ExcludedOutages: { example: 0 },
    'DeviceCounts.Total': { text: 'All of them.', example: 4107 },
    'DeviceCounts.Paused': { example: 12 },
    'DeviceCounts.Retrying': { example: 1 },
    'AlertCounts.Open': { example: 2 },
    'AlertCounts.Acknowledged': { text: 'Those that somebody acknowledged.', example: 1 },
    'AlertCounts.Snoozed': { text: 'Those that somebody snoozed, until then.', example: 0 },
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

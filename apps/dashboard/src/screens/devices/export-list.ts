import { applyFile } from '../../model/apply-file.ts';
import type { ColumnName } from '../../model/list-columns.ts';
import { type DeviceListRow, devices } from '../../store/account-state.ts';
import { figuresKnown } from '../../store/device-figures.ts';
import { deviceSettings, scheduleNames } from '../../store/device-settings.ts';
import { devicesTexts as say } from './devices-texts.ts';
import { columns } from './list-state.ts';

const settingsOf = ({ id }: DeviceListRow) => deviceSettings.value?.get(id);
const timeOf = (ms: number) => (Number.isNaN(ms) ? '' : new Date(ms).toISOString());
const number = (value: number | null | undefined) => (value == null ? '' : String(value));

/** Each column as cells of a table: plain values without units, and exact times. */
const values: Readonly<Record<ColumnName, (row: DeviceListRow) => readonly string[]>> = {
  status: ({ state, sinceMs }) => [state, timeOf(sinceMs)],
  device: ({ name, shortName }) => [name, shortName],
  url: (row) => [settingsOf(row)?.URL ?? ''],
  method: ({ method }) => [method],
  severity: ({ severity }) => [severity],
  day: ({ day }) => [day.letters],
  uptime: ({ id }) => [number(figuresKnown(id)?.uptime)],
  last: ({ lastCheck }) => [lastCheck?.isGood === true ? number(lastCheck.ms) : ''],
  p95: ({ id }) => [number(figuresKnown(id)?.p95)],
  loss: ({ id }) => [number(figuresKnown(id)?.loss)],
  trend: ({ id }) => [(figuresKnown(id)?.trend ?? []).map(({ ms }) => ms).join(' ')],
  checked: ({ lastCheck }) => [lastCheck?.at ?? ''],
  frequency: (row) => {
    const settings = settingsOf(row);
    if (settings === undefined) return [''];
    const { Frequency, FrequencySeconds } = settings;
    return [FrequencySeconds === null ? `${Frequency}m` : `${FrequencySeconds}s`];
  },
  master: (row) => [devices.value.get(settingsOf(row)?.device_master_id ?? '')?.shortName ?? ''],
  schedule: (row) => {
    const { nschedule_id: notification = null, mschedule_id: maintenance = null } = settingsOf(row) ?? {};
    return [notification, maintenance].map((id) => (id === null ? '' : (scheduleNames.value.get(id) ?? '')));
  },
  source: (row) => [settingsOf(row)?.Source ?? ''],
  location: ({ locations }) => [locations.join(';')],
  tag: ({ tags }) => [tags.join(';')],
};

/** The devices with the chosen columns as a table, the heads first. */
export function csvTableOf(rows: readonly DeviceListRow[]): readonly (readonly string[])[] {
  const heads = columns.value.flatMap((name) => say.csvHeads[name]);
  return [heads, ...rows.map((row) => columns.value.flatMap((name) => values[name](row)))];
}

/** The devices as a file of `apply`. Their settings have been read. */
export function applyFileOf(rows: readonly DeviceListRow[]): string {
  const chosen = rows.flatMap((row) => {
    const settings = settingsOf(row);
    return settings === undefined ? [] : [[row.id, settings] as const];
  });
  return applyFile(new Map(chosen), (id) => scheduleNames.value.get(id));
}

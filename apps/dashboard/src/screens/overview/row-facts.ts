import { type DeviceListRow, events, locations, results } from '../../store/account-state.ts';
import { alerts } from '../../store/alerts.ts';
import { overviewTexts as say } from './overview-texts.ts';

/** The trouble of a device that is not Down, and since when. */
export interface RowFacts {
  readonly words: string | undefined;
  /** ISO 8601, or milliseconds since 1970; undefined: not known. */
  readonly since: string | number | undefined;
}

const offlineOf = (names: readonly string[]) =>
  locations.value.filter(({ Name, Online }) => !Online && names.includes(Name)).map(({ Name }) => Name);

/** Of a device that is Retrying or Partial, the time of its status is that since which it is Up. */
export function rowFactsOf(row: DeviceListRow): RowFacts {
  const result = results.value.get(row.id);
  if (row.state === 'Partial') {
    const alert = alerts.value.find(
      ({ device_id, Kind }) => device_id === row.id && Kind === 'device.partial',
    );
    return { words: alert?.CheckResult ?? result, since: alert?.Since };
  }
  if (row.state === 'Retrying') {
    const error = events.value.find(({ device_id, Type }) => device_id === row.id && Type === 'Error');
    return { words: error?.CheckResult ?? result, since: error?.Timestamp };
  }
  const offline = row.state === 'Unknown' ? offlineOf(row.locations) : [];
  return { words: offline.length > 0 ? say.offline(offline) : result, since: row.sinceMs };
}

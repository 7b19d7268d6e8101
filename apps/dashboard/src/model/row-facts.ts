import type { DeviceState } from './state.ts';

interface TroubledDevice {
  readonly id: string;
  readonly state: DeviceState;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
  readonly locations: readonly string[];
}

/** The facts of the account that tell the trouble of a device. The newest event is the first. */
interface AccountFacts {
  readonly alerts: readonly {
    readonly device_id: string | null;
    readonly Kind: string;
    readonly Since: string;
    readonly CheckResult: string | null;
  }[];
  readonly events: readonly {
    readonly device_id: string | null;
    readonly Type: string;
    readonly Timestamp: string;
    readonly CheckResult: string | null;
  }[];
  readonly locations: readonly { readonly Name: string; readonly Online: boolean }[];
  /** The last result of the device in the event stream. */
  readonly result: string | undefined;
}

/** The trouble of a device that is not Down. */
interface RowFacts {
  readonly result: string | undefined;
  /** The Locations of an Unknown device that are offline. */
  readonly offline: readonly string[];
  /** ISO 8601, or milliseconds since 1970; undefined: not known. */
  readonly since: string | number | undefined;
}

/** The result and the age of a trouble. The status of a device that is Retrying or Partial is Up, and older. Pure. */
export function rowFactsOf(
  { id, state, sinceMs, locations: own }: TroubledDevice,
  { alerts, events, locations, result }: AccountFacts,
): RowFacts {
  if (state === 'Partial') {
    const alert = alerts.find(({ device_id, Kind }) => device_id === id && Kind === 'device.partial');
    return { result: alert?.CheckResult ?? result, offline: [], since: alert?.Since };
  }
  if (state === 'Retrying') {
    const error = events.find(({ device_id, Type }) => device_id === id && Type === 'Error');
    return { result: error?.CheckResult ?? result, offline: [], since: error?.Timestamp };
  }
  const isOffline = ({ Name, Online }: AccountFacts['locations'][number]) => !Online && own.includes(Name);
  const offline = state === 'Unknown' ? locations.filter(isOffline).map(({ Name }) => Name) : [];
  return { result, offline, since: sinceMs };
}

import { isReceived } from '@vantage/domain';
import { isPrivateHost } from '@vantage/kernel';
import type { DeviceRow, LocationRow } from './device-store.ts';

/**
 * The warnings of a device as it is now: its Locations may have changed with the account's defaults since it was
 * written.
 */
export function currentWarnings({
  warnings,
  locations,
  method,
}: Pick<DeviceRow, 'warnings' | 'locations' | 'method'>): readonly string[] {
  if (isReceived(method)) return warnings;
  const others = warnings.filter((text) => text !== unobserved);
  return locations.length === 0 ? [unobserved, ...others] : others;
}

const unobserved = 'The device has no Location, so it is never checked.';

/** The warnings about accepted settings, for the operator. */
export function warningsOf(
  host: string,
  locations: readonly LocationRow[],
  overloadedNames: readonly string[],
): readonly string[] {
  return [
    ...(locations.length === 0 ? [unobserved] : []),
    ...(locations.length > 1 && isPrivateHost(host)
      ? [
          `${host} is a private address: each of the ${locations.length} Locations may see another machine there.`,
        ]
      : []),
    ...overloadedNames.map(
      (name) =>
        `Location ${name} is overloaded: its devices need more checks a minute than its agents can run.`,
    ),
  ];
}

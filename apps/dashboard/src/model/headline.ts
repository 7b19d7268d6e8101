import type { DeviceState } from './state.ts';

/** The facts of an account that determine its headline. */
export interface HeadlineFacts {
  readonly counts: Readonly<Record<DeviceState, number>>;
  /** Devices that are Down by themselves. */
  readonly causes: number;
  readonly locations: readonly { readonly Online: boolean }[];
  readonly alerts: AlertCounts;
}

/** Alerts that are not closed. */
export interface AlertCounts {
  /** Neither acknowledged nor snoozed nor suppressed: they need attention. */
  readonly open: number;
  readonly snoozed: number;
  /** Open alerts that are only symptoms. */
  readonly suppressed: number;
  /** All others. */
  readonly acknowledged: number;
}

/** A trouble other than devices that are Down. */
export type Trouble = 'offline' | 'Unknown' | 'Partial' | 'Retrying' | 'open' | 'handled';

/** The state of the account in one sentence. */
export type AccountHeadline =
  | { readonly kind: 'unobserved' }
  | { readonly kind: 'down'; readonly devices: number; readonly causes: number }
  | { readonly kind: 'troubled'; readonly troubles: readonly (readonly [trouble: Trouble, count: number])[] }
  | { readonly kind: 'quiet' };

/**
 * The headline; the first matching row applies.
 *
 *   there are Locations, and all are offline                      unobserved
 *   a device is Down                                              down
 *   a Location is offline, a device is Unknown, Partial or
 *   Retrying, or an alert is not closed, also one of Vantage      troubled: all of them, counted
 *   else                                                          quiet: devices are Up, in maintenance or paused
 */
export function headlineOf({ counts, causes, locations, alerts }: HeadlineFacts): AccountHeadline {
  const offline = locations.filter(({ Online }) => !Online).length;
  if (offline > 0 && offline === locations.length) return { kind: 'unobserved' };
  if (counts.Down > 0) return { kind: 'down', devices: counts.Down, causes };
  const all: readonly (readonly [Trouble, number])[] = [
    ['offline', offline],
    ['Unknown', counts.Unknown],
    ['Partial', counts.Partial],
    ['Retrying', counts.Retrying],
    ['open', alerts.open],
    ['handled', alerts.acknowledged + alerts.snoozed + alerts.suppressed],
  ];
  const troubles = all.filter(([, count]) => count > 0);
  return troubles.length === 0 ? { kind: 'quiet' } : { kind: 'troubled', troubles };
}

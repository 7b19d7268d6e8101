import type { State } from './state.ts';

/** The facts of a whole account from which its headline follows. */
export interface HeadlineFacts {
  readonly counts: Readonly<Record<State, number>>;
  /** Devices that are Down of themselves. */
  readonly causes: number;
  readonly locations: readonly { readonly Online: boolean }[];
  readonly alerts: AlertCounts;
}

/** Alerts that are not closed. */
export interface AlertCounts {
  /** Neither acknowledged nor snoozed nor suppressed: they want a person. */
  readonly open: number;
  readonly snoozed: number;
  /** Open ones that are only symptoms. */
  readonly suppressed: number;
  /** All others. */
  readonly acknowledged: number;
}

/** A trouble beside devices that are Down, with how many have it. */
export type Trouble = 'offline' | 'Unknown' | 'Partial' | 'Retrying' | 'open' | 'handled';

/** The sentence that says the state. */
export type Headline =
  | { readonly kind: 'blind' }
  | { readonly kind: 'down'; readonly devices: number; readonly causes: number }
  | { readonly kind: 'troubled'; readonly troubles: readonly (readonly [trouble: Trouble, count: number])[] }
  | { readonly kind: 'quiet' };

/**
 * The headline; the first row that fits counts.
 *
 *   there are Locations, and all are offline                      blind
 *   a device is Down                                              down
 *   a Location is offline, a device is Unknown, Partial or
 *   Retrying, or an alert is not closed, also one of Vantage      troubled: each of them, counted
 *   else                                                          quiet: devices are Up, in maintenance or paused
 */
export function headlineOf({ counts, causes, locations, alerts }: HeadlineFacts): Headline {
  const offline = locations.filter(({ Online }) => !Online).length;
  if (offline > 0 && offline === locations.length) return { kind: 'blind' };
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

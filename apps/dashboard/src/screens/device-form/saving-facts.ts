import { type DeviceDraft, deviceDefaults } from './device-draft.ts';

/** The checks of a device a minute, and their Locations. */
export interface CheckLoad {
  /** Checks a minute of all Locations together, which check in rotation. */
  readonly perMinute: number;
  readonly locations: readonly string[];
}

/** The load of a draft. `defaults`: the Locations of devices that name none. */
export function loadOf(draft: DeviceDraft, defaults: readonly string[]): CheckLoad {
  const locations = draft.locations ?? defaults;
  const isChecked = draft.isEnabled && locations.length > 0;
  return { perMinute: isChecked ? 60 / draft.intervalS : 0, locations };
}

/** The number in a field; the default if it is empty; undefined if it is no number. */
function numberIn(text: string, byDefault: number): number | undefined {
  if (text.trim() === '') return byDefault;
  return /^\d+$/.test(text.trim()) ? Number(text) : undefined;
}

/** When an outage makes the device Down. */
export interface DecisionTime {
  readonly attempts: number;
  /** The longest time from the start of an outage: each check waits its whole Timeout. Seconds. */
  readonly withinS: number;
}

/** When a draft's device would be Down; undefined while its fields are no numbers. */
export function decisionOf(draft: DeviceDraft): DecisionTime | undefined {
  const timeout = numberIn(draft.timeout, deviceDefaults.timeout);
  const attempts = numberIn(draft.attempts, deviceDefaults.attempts);
  const delay = numberIn(draft.retryDelay, deviceDefaults.retryDelay);
  if (timeout === undefined || attempts === undefined || delay === undefined || attempts < 1)
    return undefined;
  return { attempts, withinS: draft.intervalS + attempts * timeout + (attempts - 1) * delay };
}

/** The thing without which no contact is notified of a device: a contact, a schedule, or only the choice of one. */
export function lackOf({
  contacts,
  schedules,
}: {
  /** undefined: the session may not see them. */
  readonly contacts: number | undefined;
  readonly schedules: number;
}): 'contact' | 'schedule' | 'choice' {
  if (schedules > 0) return 'choice';
  return contacts === 0 ? 'contact' : 'schedule';
}

/** The settings of a device that say when it is checked. */
interface Rhythm {
  readonly Enabled: boolean;
  readonly Status: string;
  /** Minutes. */
  readonly Frequency: number;
  readonly FrequencySeconds: number | null;
}

/**
 * The seconds within which the next check of a device is due: retries and “Check now” come in between, but move no due
 * time. `lastAt` is when its newest check began, ISO 8601. Undefined: nobody knows, because there was none yet, it is
 * overdue, the device is not observed, or it is paused.
 */
export function nextCheckWithin(
  device: Rhythm,
  lastAt: string | undefined,
  nowMs: number,
): number | undefined {
  if (!device.Enabled || device.Status === 'Unknown' || lastAt === undefined) return undefined;
  const interval = device.FrequencySeconds ?? device.Frequency * 60;
  const seconds = Math.ceil((Date.parse(lastAt) - nowMs) / 1_000) + interval;
  return seconds > 0 && seconds <= interval ? seconds : undefined;
}

/** The settings of a device that determine when it is checked. */
interface CheckTiming {
  readonly Enabled: boolean;
  readonly Status: string;
  /** Minutes. */
  readonly Frequency: number;
  readonly FrequencySeconds: number | null;
}

/**
 * The seconds within which the next check of a device is due. Retries and “Check now” come in between and do not move
 * it. `lastAt` is the start of the newest check, ISO 8601. Undefined if it is not known: there was no check yet, the
 * next one is overdue, or the device is not observed or paused.
 */
export function nextCheckWithin(
  device: CheckTiming,
  lastAt: string | undefined,
  nowMs: number,
): number | undefined {
  if (!device.Enabled || device.Status === 'Unknown' || lastAt === undefined) return undefined;
  const interval = device.FrequencySeconds ?? device.Frequency * 60;
  const seconds = Math.ceil((Date.parse(lastAt) - nowMs) / 1_000) + interval;
  return seconds > 0 && seconds <= interval ? seconds : undefined;
}

/** The rules by which a report counts, as sentences for its readers. */
export const countingRules = [
  'Uptime is Up / (Up + Down), in seconds, of all devices together. A percentage is of the time observed outside maintenance; if that is less than 1 % of the span, none is shown. It is cut after three decimals and never rounded up to 100 %. Maintenance, Unknown and excluded outages are in neither and are listed apart.',
  'An outage begins with the first error of a failure that retries confirmed, and ends with the check that finds the device Up. One that reaches beyond the span counts, with its seconds within the span; the list shows its whole length.',
  'Unknown means not observed: the Location was offline, an anchor was silent, the device was paused, or it did not exist yet. Only devices that exist now are counted.',
] as const;

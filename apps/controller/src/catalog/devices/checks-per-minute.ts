/** Checks a minute that a device asks of each of its Locations. Pure. */
export function perMinuteAtEach(
  { frequency_min, frequency_s }: { readonly frequency_min: number; readonly frequency_s: number | null },
  locations: number,
): number {
  return 60 / (frequency_s ?? frequency_min * 60) / Math.max(1, locations);
}

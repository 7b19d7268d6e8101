/** Is this a name that the time zone database (IANA) knows? Offsets such as `+02:00` are not names. */
export function isZoneName(name: string): boolean {
  return zoneName(name) !== undefined;
}

/**
 * The IANA name of a time zone in its own letter case: `Europe/Berlin` for `europe/berlin`. Another name of a zone
 * (`Asia/Kolkata`) stays as it is given. undefined: there is no such zone.
 */
export function zoneName(given: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(given)) return undefined;
  try {
    const known = new Intl.DateTimeFormat('en-US', { timeZone: given }).resolvedOptions().timeZone;
    return known.toLowerCase() === given.toLowerCase() ? known : given;
  } catch {
    return undefined;
  }
}

/** Is this a name that the time zone database (IANA) knows? Offsets such as `+02:00` are not names. */
export function isZoneName(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

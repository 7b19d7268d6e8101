/**
 * The types of events without those of alerts, which stand between them wherever the controller decides: for tests of
 * the status.
 */
export function statusEvents(types: readonly string[]): string[] {
  return types.filter((type) => !type.startsWith('Alert'));
}

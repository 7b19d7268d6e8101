/** The number of cases of a property: `few`, or PROPERTY_RUNS, which finds rarer faults. */
export function propertyRuns(few: number): number {
  return Number(process.env['PROPERTY_RUNS'] ?? few);
}

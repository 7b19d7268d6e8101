/** How many cases a property has: `few`, or what PROPERTY_RUNS says, which finds rarer faults. */
export function propertyRuns(few: number): number {
  return Number(process.env['PROPERTY_RUNS'] ?? few);
}

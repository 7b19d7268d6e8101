import { printText } from '../../output.ts';
import type { ControllerAccess } from '../../remote/https-fetch.ts';
import { compareStatuses, comparisonText } from './compare.ts';
import { readDevices } from './read-devices.ts';
import { statusReaders } from './read-old.ts';

/** Prints how the other tool's file and the controller differ. True: they agree on all that both have. */
export async function runCompare(
  format: keyof typeof statusReaders,
  file: string,
  access: ControllerAccess,
  asJson: boolean,
): Promise<boolean> {
  const there = statusReaders[format](file);
  const comparison = compareStatuses(there, await readDevices(access));
  printText(asJson ? JSON.stringify(comparison, null, 2) : comparisonText(comparison));
  return comparison.Disagree.length === 0;
}

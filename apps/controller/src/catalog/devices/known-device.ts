import type { WholeTransaction } from '../../platform/db/index.ts';
import type { CheckedRow, DeviceRow } from './store.ts';

/** The device that was read last in each transaction that commits as a whole. */
const lastRead = new WeakMap<
  WholeTransaction,
  { readonly statements: number; readonly row: DeviceRow & CheckedRow }
>();

/** Keeps a device that was just read, for the parts of the same request that need it next. */
export function keepDevice(whole: WholeTransaction | undefined, row: DeviceRow & CheckedRow): void {
  if (whole !== undefined) lastRead.set(whole, { statements: whole.statements(), row });
}

/** The device that was read by the last statement of the transaction, where it is the one that is `meant`. */
export function keptDevice(
  whole: WholeTransaction | undefined,
  meant: (row: DeviceRow) => boolean,
): (DeviceRow & CheckedRow) | undefined {
  if (whole === undefined) return undefined;
  const last = lastRead.get(whole);
  return last?.statements === whole.statements() && meant(last.row) ? last.row : undefined;
}

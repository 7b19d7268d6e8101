import { lockDevices } from '@vantage/storage';
import type { ChangeTransaction } from '../../resources/change.ts';
import { deletionsOf } from '../devices/delete-devices-store.ts';
import { notifyPlanner } from '../devices/device-follow-ups.ts';
import { deleteDevices } from './changed-device-store.ts';
import { keptMasters, locationsOf } from './device-change-store.ts';
import { type CandidateDevice, masterOfOthers } from './judge-devices.ts';
import type { ApplyDeps, WrittenDevices } from './ready-change.ts';

/** Deletes these devices but those that others are behind. The change has one entry in the audit. */
export async function removeAll(
  { deleteHistory, recordEvents, clock }: ApplyDeps,
  transaction: ChangeTransaction,
  candidates: readonly CandidateDevice[],
): Promise<WrittenDevices> {
  const { trx } = transaction;
  const kept = await keptMasters(
    trx,
    candidates.map(({ device_no }) => device_no),
  );
  const refused = candidates.filter(({ device_no }) => kept.has(device_no));
  const going = candidates.map(({ device_no }) => device_no).filter((no) => !kept.has(no));
  // Whoever changes a device's state or its windows at this moment ends first, or finds no device.
  await lockDevices(trx, going);
  const concerned = await locationsOf(trx, going);
  const deletions = await deletionsOf(trx, going);
  for (const deletePart of deleteHistory) await deletePart(trx, going);
  await deleteDevices(transaction, going);
  await recordEvents(trx, deletions, clock.nowUs());
  await notifyPlanner(trx, concerned);
  return {
    changed: going,
    refused: refused.map(({ device_id }) => ({ device_id, Reason: masterOfOthers })),
    others: [],
  };
}

import { faultSentence } from '@vantage/kernel';
import { type Db, lockDevices } from '@vantage/storage';
import type { ChangeTransaction } from '../../resources/change.ts';
import { notifyPlanner } from '../devices/device-follow-ups.ts';
import { resolveTarget } from '../devices/device-target.ts';
import { warningsOf } from '../devices/device-warnings.ts';
import { loadsOf, overloadedNames } from '../devices/location-overload.ts';
import { privateAddressErrors } from '../devices/referenced-locations.ts';
import { openOrShown } from '../devices/stored-target.ts';
import { readCandidates } from './candidate-store.ts';
import { writeLocations, writeSettings, writeTags, writeWarnings } from './changed-device-store.ts';
import type { AskedChange, DeviceChangeOutcome } from './device-change-fields.ts';
import { locationsOf, readTargets, statusesOf } from './device-change-store.ts';
import { type JudgedDevice, judgeAll } from './judge-devices.ts';
import type { ApplyDeps, ReadyChange, WrittenDevices } from './ready-change.ts';
import { removeAll } from './remove-devices.ts';

export async function writeAll(
  deps: ApplyDeps,
  transaction: ChangeTransaction,
  change: ReadyChange,
  deviceNos: readonly number[],
): Promise<WrittenDevices> {
  const { asked, wanted } = change;
  const { trx } = transaction;
  // Results and maintenance lock the device before they write its state: the other way round they deadlock.
  if (!asked.Delete && movesState(asked)) await lockDevices(trx, deviceNos);
  const candidates = await readCandidates(trx, deviceNos, wanted);
  if (asked.Delete) return removeAll(deps, transaction, candidates);
  const judged = judgeAll(candidates, wanted);
  const placed = await placeDevices(deps, transaction, change, judged.changed);
  await write(deps, transaction, change, placed.changed);
  const refused = [...judged.refused, ...placed.refused];
  const out = new Set(refused.map(({ device_id }) => device_id));
  const others = candidates.filter(({ device_id }) => !out.has(device_id));
  return { changed: numbersOf(placed.changed), refused, others: others.map(({ device_no }) => device_no) };
}

function numbersOf(some: readonly JudgedDevice[]): readonly number[] {
  return some.map(({ device }) => device.device_no);
}

function movesState({ Set: set = {}, Maintenance }: AskedChange): boolean {
  const { Frequency, FrequencySeconds, Enabled, Locations } = set;
  return [Frequency, FrequencySeconds, Enabled, Locations, Maintenance].some((each) => each !== undefined);
}

/** Leaves out devices whose private address the new Locations do not check, and stores the warnings of the others. */
async function placeDevices(
  { sealer }: ApplyDeps,
  transaction: ChangeTransaction,
  { locations }: ReadyChange,
  changed: readonly JudgedDevice[],
): Promise<{ readonly changed: readonly JudgedDevice[]; readonly refused: DeviceChangeOutcome['Refused'] }> {
  const { trx } = transaction;
  const moved = changed.filter(({ to }) => to.newLocations).map(({ device }) => device.device_no);
  if (moved.length === 0) return { changed, refused: [] };
  const locationNos = locations.map(({ location_no }) => location_no);
  const busy = overloadedNames(await loadsOf(trx, locationNos), () => 0);
  const refusals: DeviceChangeOutcome['Refused'][number][] = [];
  const warnings: { readonly device_no: number; readonly warnings: readonly string[] }[] = [];
  for (const row of await readTargets(trx, moved)) {
    const resolution = resolveTarget(row.method, {}, openOrShown(sealer, row));
    const host = resolution.ok ? resolution.target.host : '';
    const [fault] = privateAddressErrors(host, locations);
    if (fault !== undefined) refusals.push({ device_id: row.device_id, Reason: faultSentence(fault) });
    else warnings.push({ device_no: row.device_no, warnings: warningsOf(host, locations, busy) });
  }
  await writeWarnings(transaction, warnings);
  const out = new Set(refusals.map(({ device_id }) => device_id));
  return { changed: changed.filter(({ device }) => !out.has(device.device_id)), refused: refusals };
}

async function write(
  { clock, pause, recordEvents }: ApplyDeps,
  transaction: ChangeTransaction,
  { accountNo, wanted }: ReadyChange,
  changed: readonly JudgedDevice[],
): Promise<void> {
  if (changed.length === 0) return;
  const { trx } = transaction;
  const nowUs = clock.nowUs();
  const assigned = numbersOf(changed.filter(({ to }) => to.reach !== 'none'));
  const before = await locationsOf(trx, assigned);
  await writeSettings(transaction, changed, nowUs);
  await writeLocations(
    transaction,
    numbersOf(changed.filter(({ to }) => to.newLocations)),
    wanted.locationNos,
  );
  await writeTags(transaction, numbersOf(changed.filter(({ to }) => to.fields.includes('Tags'))), wanted);
  const paused = changed.filter(({ device, to }) => device.enabled && !to.next.enabled);
  const named = ({ device: { device_no, short_name } }: JudgedDevice) => ({
    accountNo,
    deviceNo: device_no,
    deviceName: short_name,
  });
  if (paused.length > 0) await pause(trx, paused.map(named), nowUs);
  const statuses = await statusesOf(trx, numbersOf(changed), nowUs);
  await recordEvents(
    trx,
    changed.map((each) => ({
      kind: 'device-changed' as const,
      ...named(each),
      status: statuses.get(each.device.device_no) ?? 'Unknown',
      fields: each.to.fields,
    })),
    nowUs,
  );
  if (assigned.length > 0) await notifyPlanner(trx, [...before, ...(await locationsOf(trx, assigned))]);
}

/** Starts or ends maintenance. Returns whether it did. */
export async function maintain(
  db: Db,
  { maintenance }: ApplyDeps,
  { accountNo, maintenance: asked }: ReadyChange,
  deviceNo: number,
): Promise<boolean> {
  if (asked === undefined) return false;
  if (asked === null) return (await maintenance.stopMaintenance(db, { accountNo, deviceNo })) > 0;
  await maintenance.startMaintenance(db, { accountNo, deviceNo, ...asked });
  return true;
}

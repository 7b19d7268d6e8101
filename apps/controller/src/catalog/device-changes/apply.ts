import { faultSentence } from '@vantage/kernel';
import { type Db, lockDevices, ScopeRefusal } from '../../platform/db/index.ts';
import type { Problem } from '../../rest/http/problem.ts';
import { scopeProblem } from '../../rest/http/scope-rule.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog, ChangeTransaction } from '../change.ts';
import { actorOf } from '../change.ts';
import type { Maintenance, readMaintenance } from '../devices/maintenance-routes.ts';
import { loadsOf, overloadedNames, privateAddressErrors } from '../devices/references.ts';
import { warningsOf } from '../devices/settings.ts';
import type { LocationRow } from '../devices/store.ts';
import { openOrShown, resolveTarget } from '../devices/target.ts';
import { type DeviceWriterDeps, notifyPlanner } from '../devices/write.ts';
import { deletionsOf } from '../devices/write-store.ts';
import type { AskedChange, Outcome } from './fields.ts';
import { type Candidate, type Changed, judgeAll, masterOfOthers, type Wanted } from './judge.ts';
import {
  deleteDevices,
  idsOf,
  keptMasters,
  locationsOf,
  readCandidates,
  readTargets,
  statusesOf,
  writeLocations,
  writeSettings,
  writeTags,
  writeWarnings,
} from './store.ts';

/** Dependencies of applying a change. */
export interface ApplyDeps extends DeviceWriterDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly maintenance: Pick<Maintenance, 'startMaintenance' | 'stopMaintenance'>;
}

/** A change with the things that it names. */
export interface ReadyChange {
  readonly accountNo: number;
  readonly asked: AskedChange;
  readonly wanted: Wanted;
  readonly locations: readonly LocationRow[];
  /** null: what runs is ended; undefined: nothing. */
  readonly maintenance:
    | (ReturnType<typeof readMaintenance> & { readonly maintenanceId: string })
    | null
    | undefined;
}

/** The outcome for some devices. */
interface Applied {
  readonly changed: number;
  readonly refused: Outcome['Refused'];
}

/**
 * Applies the change to these devices, in one transaction or a part of the open one. Devices that were deleted
 * meanwhile are left out, and those that a limited caller may not change so are refused one by one.
 */
export async function applyChange(
  deps: ApplyDeps,
  session: Session,
  change: ReadyChange,
  deviceNos: readonly number[],
): Promise<Applied> {
  const { db } = deps;
  const { scope } = session;
  const work = () => applyToAll(deps, session, change, deviceNos);
  try {
    return await (scope === undefined ? db.inTransaction(work) : db.inScope(scope, work));
  } catch (error) {
    if (!(error instanceof ScopeRefusal)) throw error;
    const middle = Math.floor(deviceNos.length / 2);
    if (middle === 0)
      return { changed: 0, refused: await refusedBy(db, deviceNos, scopeProblem(error.reason)) };
    const first = await applyChange(deps, session, change, deviceNos.slice(0, middle));
    const second = await applyChange(deps, session, change, deviceNos.slice(middle));
    return { changed: first.changed + second.changed, refused: [...first.refused, ...second.refused] };
  }
}

async function refusedBy(
  { kysely }: Db,
  deviceNos: readonly number[],
  { message, errors }: Problem,
): Promise<Outcome['Refused']> {
  const Reason = errors?.map(faultSentence).join(' ') ?? message;
  return (await idsOf(kysely, deviceNos)).map((device_id) => ({ device_id, Reason }));
}

async function applyToAll(
  deps: ApplyDeps,
  session: Session,
  change: ReadyChange,
  deviceNos: readonly number[],
): Promise<Applied> {
  const written = await deps.catalog.change(actorOf(session), (transaction) =>
    writeAll(deps, transaction, change, deviceNos),
  );
  // Maintenance has its own part of the transaction, after that of the catalog.
  const ids = new Set(written.changed);
  for (const deviceNo of written.others) if (await maintain(deps, change, deviceNo)) ids.add(deviceNo);
  return { changed: ids.size, refused: written.refused };
}

/**
 * The outcome of writing the settings of some devices: which of them changed, were refused, and may have maintenance.
 */
interface Written {
  readonly changed: readonly number[];
  readonly refused: Outcome['Refused'];
  readonly others: readonly number[];
}

async function writeAll(
  deps: ApplyDeps,
  transaction: ChangeTransaction,
  change: ReadyChange,
  deviceNos: readonly number[],
): Promise<Written> {
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

function numbersOf(some: readonly Changed[]): readonly number[] {
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
  changed: readonly Changed[],
): Promise<{ readonly changed: readonly Changed[]; readonly refused: Outcome['Refused'] }> {
  const { trx } = transaction;
  const moved = changed.filter(({ to }) => to.newLocations).map(({ device }) => device.device_no);
  if (moved.length === 0) return { changed, refused: [] };
  const locationNos = locations.map(({ location_no }) => location_no);
  const busy = overloadedNames(await loadsOf(trx, locationNos), () => 0);
  const refusals: Outcome['Refused'][number][] = [];
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
  changed: readonly Changed[],
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
  const named = ({ device: { device_no, short_name } }: Changed) => ({
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
async function maintain(
  { maintenance }: ApplyDeps,
  { accountNo, maintenance: asked }: ReadyChange,
  deviceNo: number,
): Promise<boolean> {
  if (asked === undefined) return false;
  if (asked === null) return (await maintenance.stopMaintenance({ accountNo, deviceNo })) > 0;
  await maintenance.startMaintenance({ accountNo, deviceNo, ...asked });
  return true;
}

/** Deletes these devices but those that others are behind. The change has one entry in the audit. */
async function removeAll(
  { deleteHistory, recordEvents, clock }: ApplyDeps,
  transaction: ChangeTransaction,
  candidates: readonly Candidate[],
): Promise<Written> {
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

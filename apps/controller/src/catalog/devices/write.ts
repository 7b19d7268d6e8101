import { isDeepStrictEqual } from 'node:util';
import type { DeviceChangedCause, DeviceCreatedCause } from '@vantage/health';
import { type Clock, type FieldFault, newId } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { lockDevices, pipelined, publish, type Tables } from '../../db/index.ts';
import type { Sealer } from '../../secrets/seal.ts';
import type { ChangeTransaction } from '../change.ts';
import { changedFields, createdFields, deletedFields, type ShownFields } from '../field-change.ts';
import { refuseBeyondLimit } from '../limits.ts';
import type { Conflict, Invalid, Missing, Refusal } from '../refusal.ts';
import { changesOf } from './changes.ts';
import type { SentSettings } from './fields.ts';
import { lockAccount } from './lookup-store.ts';
import { resolveDevice, unique } from './resolve-device.ts';
import { openOrShown, sealTarget } from './sealed.ts';
import { resolveReferences, sameLocations, withNamedIds } from './settings.ts';
import { type SettingsRow, showSettings } from './show.ts';
import { type DeviceRow, readDevice } from './store.ts';
import {
  type DeviceSettings,
  deleteDevice,
  dependentsOf,
  insertDevice,
  insertLocations,
  insertTags,
  locationNosOf,
  updateDevice,
} from './write-store.ts';

/** Settings as they were sent: the valid fields, and the faults of the others. */
interface Sent {
  readonly values: SentSettings;
  readonly faults: readonly FieldFault[];
}

/** Writes devices in an open transaction. A refusal names every fault. */
export interface DeviceWriter {
  create(
    transaction: ChangeTransaction,
    device: { readonly accountNo: number; readonly sent: Sent },
  ): Promise<
    | { readonly kind: 'created'; readonly deviceId: string; readonly warnings: readonly string[] }
    | Invalid
    | Conflict
  >;
  update(
    transaction: ChangeTransaction,
    device: { readonly accountNo: number; readonly deviceNo: number; readonly sent: Sent },
  ): Promise<{ readonly kind: 'updated' } | Refusal>;
  /** Refused while the device is a master; the refusal names its dependents. */
  remove(
    transaction: ChangeTransaction,
    device: { readonly accountNo: number; readonly deviceNo: number; readonly deviceId: string },
  ): Promise<{ readonly kind: 'deleted' } | Conflict | Missing>;
}

/** Records the events of a device in the transaction that wrote it. */
type RecordDeviceEvents = (
  trx: Kysely<Tables>,
  causes: readonly (DeviceCreatedCause | DeviceChangedCause)[],
  nowUs: number,
) => Promise<void>;

/** Each deletes a part of the history of devices, before the devices. */
type DeleteHistory = readonly ((trx: Kysely<Tables>, deviceNos: readonly number[]) => Promise<void>)[];

/** Stores the state of a new device: no check has run yet. */
type InsertState = (trx: Kysely<Tables>, deviceNo: number, nowUs: number) => Promise<void>;

/** Ends what the results of these devices began: their retry sequences, outages and statuses. */
type PauseDevices = (
  trx: Kysely<Tables>,
  devices: readonly { readonly accountNo: number; readonly deviceNo: number; readonly deviceName: string }[],
  nowUs: number,
) => Promise<void>;

/** The parts that the writer of devices needs. */
export interface DeviceWriterDeps {
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly recordEvents: RecordDeviceEvents;
  readonly deleteHistory: DeleteHistory;
  readonly insertState: InsertState;
  readonly pause: PauseDevices;
}

/** Creates the writer. */
export function createDeviceWriter(deps: DeviceWriterDeps): DeviceWriter {
  const { clock, sealer, recordEvents, deleteHistory, insertState, pause } = deps;
  return {
    async create(transaction, { accountNo, sent: given }) {
      const { trx } = transaction;
      const sent = { ...given, values: await withNamedIds(trx, accountNo, given.values) };
      const method = sent.values.Method;
      if (method === undefined) {
        const { faults } = await resolveReferences(trx, accountNo, sent.values, undefined);
        return { kind: 'invalid', faults: unique([...sent.faults, ...faults]) };
      }
      // What the device names is not deleted before the commit.
      const { device_master_id, nschedule_id, mschedule_id, ExternalKey } = sent.values;
      const named = [device_master_id, nschedule_id, mschedule_id, ExternalKey];
      if (named.some((each) => typeof each === 'string')) await lockAccount(trx, accountNo);
      const resolved = await resolveDevice(trx, { accountNo, method, sent, current: undefined });
      if (resolved.kind !== 'resolved') return resolved;
      const refusal = await refuseBeyondLimit(transaction, 'devices', accountNo);
      if (refusal !== undefined) return refusal;
      const { settings } = resolved;
      const nowUs = clock.nowUs();
      const deviceId = newId();
      const sealed = sealTarget(sealer, deviceId, settings.target.clear);
      const created = { deviceId, accountNo, method, settings, sealed, nowUs };
      const deviceNo = await insertDevice(transaction, created);
      const device = { accountNo, deviceNo, deviceName: settings.plain.shortName };
      await pipelined(trx, (pipe) => [
        insertLocations({ ...transaction, trx: pipe }, deviceNo, settings.references),
        insertTags({ ...transaction, trx: pipe }, deviceNo, settings.references),
        insertState(pipe, deviceNo, nowUs),
        recordEvents(pipe, [{ kind: 'device-created', ...device }], nowUs),
        notifyPlanner(pipe, settings.references.locations.map(numberOf)),
      ]);
      const fields = createdFields(sentSettings(method, settings, sent.values));
      transaction.record({ action: 'create', kind: 'device', accountNo, id: deviceId, fields });
      return { kind: 'created', deviceId, warnings: settings.warnings };
    },

    async update(transaction, { accountNo, deviceNo, sent }) {
      const { trx } = transaction;
      await lockAccount(trx, accountNo);
      const nowUs = clock.nowUs();
      const row = await readDevice(trx, deviceNo, nowUs);
      if (row === undefined) return { kind: 'missing', what: 'device' };
      const { Method = row.method } = sent.values;
      if (Method !== row.method) return methodConflict(row.method);
      const clear = openOrShown(sealer, row);
      const current = { row, clear };
      const resolved = await resolveDevice(trx, { accountNo, method: row.method, sent, current });
      if (resolved.kind !== 'resolved') return resolved;
      const { settings } = resolved;
      const newLocations = !sameLocations(settings.references.locations, row.locations);
      const { fields, reach } = changesOf(row, clear, settings, newLocations);
      const isWarnedAnew = !isDeepStrictEqual(row.warnings, settings.warnings);
      if (fields.length === 0 && !isWarnedAnew) return { kind: 'updated' };
      // Results and maintenance lock the device before they write its state: the other way round they deadlock.
      if (newLocations || movesState(row, settings)) await lockDevices(trx, [deviceNo]);
      const sealed = sealTarget(sealer, row.device_id, settings.target.clear);
      await updateDevice(transaction, { deviceNo, settings, sealed, reach, newLocations, nowUs });
      if (fields.length === 0) return { kind: 'updated' };
      const device = { accountNo, deviceNo, deviceName: settings.plain.shortName };
      if (row.enabled && !settings.plain.enabled) await pause(trx, [device], nowUs);
      const next = (await readDevice(trx, deviceNo, nowUs)) ?? row;
      await recordEvents(trx, [{ kind: 'device-changed', ...device, status: next.status, fields }], nowUs);
      const concerned = [...row.locations, ...settings.references.locations].map(numberOf);
      if (reach !== 'none') await notifyPlanner(trx, concerned);
      const changes = changedFields(fields, showSettings(row), showSettings(next));
      transaction.record({ action: 'update', kind: 'device', accountNo, id: row.device_id, fields: changes });
      return { kind: 'updated' };
    },

    async remove(transaction, { accountNo, deviceNo, deviceId }) {
      const { trx } = transaction;
      await lockAccount(trx, accountNo);
      const dependents = await dependentsOf(trx, deviceNo);
      if (dependents.length > 0) return { kind: 'conflict', message: usedText(dependents) };
      // Whoever changes the device's state or its windows at this moment ends first, or finds no device: the other way
      // round they deadlock.
      await lockDevices(trx, [deviceNo]);
      const concerned = await locationNosOf(trx, deviceNo);
      for (const deletePart of deleteHistory) await deletePart(trx, [deviceNo]);
      const row = await readDevice(trx, deviceNo, clock.nowUs());
      if (row === undefined || !(await deleteDevice(transaction, deviceNo)))
        return { kind: 'missing', what: 'device' };
      const { Method, URL, ShortName, FullName } = showSettings(row);
      const fields = deletedFields({ Method, URL, ShortName, FullName });
      transaction.record({ action: 'delete', kind: 'device', accountNo, id: deviceId, fields });
      await notifyPlanner(trx, concerned);
      return { kind: 'deleted' };
    },
  };
}

/** The settings of a new device that its client sent, as the API shows them. */
function sentSettings(method: string, settings: DeviceSettings, sent: SentSettings): ShownFields {
  const { plain, target, references } = settings;
  const row: SettingsRow = {
    ...{ method, url: target.shownUrl, options: target.shownOptions },
    ...{ short_name: plain.shortName, full_name: plain.fullName, external_key: plain.externalKey },
    source: plain.source,
    ...{
      frequency_min: plain.frequencyMin,
      frequency_s: plain.frequencyS,
      timeout_s: plain.timeoutS,
      retries: plain.retries,
    },
    ...{ retry_delay_s: plain.retryDelayS, enabled: plain.enabled, severity: plain.severity },
    ...{ nschedule_id: sent.nschedule_id ?? null, mschedule_id: sent.mschedule_id ?? null },
    ...{ master_id: sent.device_master_id ?? null, locations: references.locations, tags: references.tags },
  };
  const names = new Set(Object.keys(sent).map((name) => (name === 'HostData' ? 'Options' : name)));
  return Object.fromEntries(Object.entries(showSettings(row)).filter(([name]) => names.has(name)));
}

function numberOf({ location_no }: { readonly location_no: number }): number {
  return location_no;
}

/** Whether triggers write these settings into the device's state. */
function movesState(row: DeviceRow, { plain }: DeviceSettings): boolean {
  const { enabled, frequencyMin, frequencyS } = plain;
  return row.enabled !== enabled || row.frequency_min !== frequencyMin || row.frequency_s !== frequencyS;
}

function methodConflict(method: string): Conflict {
  return {
    kind: 'conflict',
    message: `Method cannot be changed: this device's is ${method}.`,
    faults: [{ field: 'Method', message: 'cannot be changed' }],
  };
}

/** Has the planner look at these Locations after the commit. */
export async function notifyPlanner(trx: Kysely<Tables>, locationNos: readonly number[]): Promise<void> {
  const places = [...new Set(locationNos)].sort((a, b) => a - b);
  await publish(trx, 'catalog', { location_nos: places });
}

function usedText(
  dependents: readonly { readonly device_id: string; readonly short_name: string }[],
): string {
  const shown = dependents.slice(0, 10).map(({ device_id, short_name }) => `${short_name} (${device_id})`);
  const rest = dependents.length - shown.length;
  return `This device is the master of ${shown.join(', ')}${rest > 0 ? ` and ${rest} or more others` : ''}.`;
}

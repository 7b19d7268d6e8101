import { isDeepStrictEqual } from 'node:util';
import { isReceived } from '@vantage/domain';
import { type FieldFault, newId } from '@vantage/kernel';
import { lockDevices, pipelined } from '@vantage/storage';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import {
  changedFields,
  createdFields,
  deletedFields,
  type ShownFields,
} from '../../resources/field-changes.ts';
import { refuseBeyondLimit } from '../../resources/limited-kinds.ts';
import type { Conflict, Invalid, Missing, Refusal } from '../../resources/refusal.ts';
import { changesOf } from './change-reach.ts';
import { deleteDevice, deletionsOf, dependentsOf } from './delete-devices-store.ts';
import { createCreations } from './device-creations.ts';
import { createFollowUps, type DeviceWriterDeps, notifyPlanner } from './device-follow-ups.ts';
import type { DeviceSettings } from './device-settings.ts';
import { resolveDevice, unique } from './device-settings.ts';
import { type CheckedRow, type DeviceRow, findDevice, readDevice } from './device-store.ts';
import { updateDevice } from './device-write-store.ts';
import { sameLocations } from './referenced-locations.ts';
import { sameTags } from './referenced-tags.ts';
import { resolveReferences, withNamedIds } from './references.ts';
import type { SentSettings } from './sent-device.ts';
import { openOrShown, sealTarget } from './stored-target.ts';
import { type SettingsRow, showSettings } from './to-rest.ts';

/** Settings as they were sent: the valid fields, and the faults of the others. */
interface Sent {
  readonly values: SentSettings;
  readonly faults: readonly FieldFault[];
}

/** A device as it is after its change; undefined: nothing was changed. */
interface ChangedRow {
  readonly row: DeviceRow & CheckedRow;
  readonly nowUs: number;
}

/** Writes devices in an open transaction. A refusal names every fault. */
export interface DeviceWriter {
  create(
    transaction: ChangeTransaction,
    device: { readonly accountNo: number; readonly sent: Sent },
  ): Promise<
    | {
        readonly kind: 'created';
        readonly deviceId: string;
        /** Of a Push device: the address that its job calls. */
        readonly pushUrl: string | undefined;
        readonly warnings: readonly string[];
      }
    | Invalid
    | Conflict
  >;
  update(
    transaction: ChangeTransaction,
    device: { readonly accountNo: number; readonly deviceNo: number; readonly sent: Sent },
  ): Promise<{ readonly kind: 'updated'; readonly changed?: ChangedRow } | Refusal>;
  /** Refused while the device is a master; the refusal names its dependents. */
  remove(
    transaction: ChangeTransaction,
    device: { readonly accountNo: number; readonly deviceNo: number; readonly deviceId: string },
  ): Promise<{ readonly kind: 'deleted' } | Conflict | Missing>;
}

/** Creates the writer. */
export function createDeviceWriter(deps: DeviceWriterDeps): DeviceWriter {
  const { clock, sealer, recordEvents, deleteHistory, pause, pushAddresses } = deps;
  const placeOf = createCreations({ ...deps, notifyPlanner });
  const later = createFollowUps({ recordEvents });
  return {
    async create(transaction, { accountNo, sent: given }) {
      const { trx, waiting, waitingLoad, add } = await placeOf(transaction, given.values);
      const sent = { ...given, values: await withNamedIds(trx, accountNo, given.values) };
      const method = sent.values.Method;
      if (method === undefined) {
        const { faults } = await resolveReferences(trx, accountNo, sent.values, undefined);
        return { kind: 'invalid', faults: unique([...sent.faults, ...faults]) };
      }
      // The things that the device names cannot be deleted before the commit.
      const { device_master_id, nschedule_id, mschedule_id, ExternalKey } = sent.values;
      const named = [device_master_id, nschedule_id, mschedule_id, ExternalKey];
      if (named.some((each) => typeof each === 'string')) await lockAccount(transaction.trx, accountNo);
      const asked = { accountNo, method, sent, current: undefined, waitingLoad };
      const resolved = await resolveDevice(trx, asked);
      if (resolved.kind !== 'resolved') return resolved;
      const refusal = await refuseBeyondLimit({ ...transaction, trx }, 'devices', accountNo, waiting.length);
      if (refusal !== undefined) return refusal;
      const { settings } = resolved;
      const deviceId = newId();
      const sealed = sealTarget(sealer, deviceId, settings.target.clear);
      const push = isReceived(method) ? pushAddresses.create() : undefined;
      await add({ deviceId, accountNo, method, settings, sealed, pushTokenHash: push?.tokenHash });
      const fields = createdFields(sentSettings(method, settings, sent.values));
      transaction.record({ action: 'create', kind: 'device', accountNo, id: deviceId, fields });
      return { kind: 'created', deviceId, pushUrl: push?.url, warnings: settings.warnings };
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
      const newTags = !sameTags(settings.references.tags, row.tags);
      await updateDevice(transaction, { deviceNo, settings, sealed, reach, newLocations, newTags, nowUs });
      if (fields.length === 0) return { kind: 'updated' };
      const device = { accountNo, deviceNo, deviceName: settings.plain.short_name };
      if (row.enabled && !settings.plain.enabled) {
        // Its events come after those that the batch still collects.
        await transaction.batch?.flush();
        await pause(trx, [device], nowUs);
      }
      const next = await findDevice(trx, { deviceNo }, nowUs);
      const { status } = next ?? row;
      await later.recordEvent(transaction, { kind: 'device-changed', ...device, status, fields }, nowUs);
      const concerned = [...row.locations, ...settings.references.locations].map(numberOf);
      if (reach !== 'none') await later.notifyPlanner(transaction, concerned);
      const changes = changedFields(fields, showSettings(row), showSettings(next ?? row));
      transaction.record({ action: 'update', kind: 'device', accountNo, id: row.device_id, fields: changes });
      return { kind: 'updated', ...(next === undefined ? {} : { changed: { row: next, nowUs } }) };
    },

    async remove(transaction, { accountNo, deviceNo, deviceId }) {
      const { trx } = transaction;
      await lockAccount(trx, accountNo);
      // Whoever changes the device's state or its windows at this moment ends first, or finds no device: the other way
      // round they deadlock.
      const [dependents, , row, deletions] = await pipelined(trx, (pipe) => [
        dependentsOf(pipe, deviceNo),
        lockDevices(pipe, [deviceNo]),
        readDevice(pipe, deviceNo, clock.nowUs()),
        deletionsOf(pipe, [deviceNo]),
      ]);
      if (dependents.length > 0) return { kind: 'conflict', reason: 'in_use', message: usedText(dependents) };
      if (row === undefined) return { kind: 'missing', what: 'device' };
      const [, isDeleted] = await pipelined(trx, (pipe) => [
        Promise.all(deleteHistory.map((deletePart) => deletePart(pipe, [deviceNo]))),
        deleteDevice({ ...transaction, trx: pipe }, deviceNo),
      ]);
      if (!isDeleted) return { kind: 'missing', what: 'device' };
      await recordEvents(trx, deletions, clock.nowUs());
      const { Method, URL, ShortName, FullName } = showSettings(row);
      const fields = deletedFields({ Method, URL, ShortName, FullName });
      transaction.record({ action: 'delete', kind: 'device', accountNo, id: deviceId, fields });
      await later.notifyPlanner(transaction, row.locations.map(numberOf));
      return { kind: 'deleted' };
    },
  };
}

/** The settings of a new device that its client sent, as the API shows them. */
function sentSettings(method: string, settings: DeviceSettings, sent: SentSettings): ShownFields {
  const { plain, target, references } = settings;
  const row: SettingsRow = {
    ...plain,
    method,
    url: target.shownUrl,
    options: target.shownOptions,
    nschedule_id: sent.nschedule_id ?? null,
    mschedule_id: sent.mschedule_id ?? null,
    master_id: sent.device_master_id ?? null,
    locations: references.locations,
    tags: references.tags,
  };
  const names = new Set(Object.keys(sent).map((name) => (name === 'HostData' ? 'Options' : name)));
  return Object.fromEntries(Object.entries(showSettings(row)).filter(([name]) => names.has(name)));
}

function numberOf({ location_no }: { readonly location_no: number }): number {
  return location_no;
}

/** Whether triggers write these settings into the device's state. */
function movesState(row: DeviceRow, { plain }: DeviceSettings): boolean {
  const { enabled, frequency_min, frequency_s } = plain;
  return row.enabled !== enabled || row.frequency_min !== frequency_min || row.frequency_s !== frequency_s;
}

function methodConflict(method: string): Conflict {
  return {
    kind: 'conflict',
    reason: 'fixed_field',
    message: `Method cannot be changed: this device's is ${method}.`,
    faults: [{ field: 'Method', message: 'cannot be changed' }],
  };
}

function usedText(
  dependents: readonly { readonly device_id: string; readonly short_name: string }[],
): string {
  const shown = dependents.slice(0, 10).map(({ device_id, short_name }) => `${short_name} (${device_id})`);
  const rest = dependents.length - shown.length;
  return `This device is the master of ${shown.join(', ')}${rest > 0 ? ` and ${rest} or more others` : ''}.`;
}

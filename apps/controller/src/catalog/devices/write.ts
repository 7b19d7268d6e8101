import { isDeepStrictEqual } from 'node:util';
import type { DeviceChangedCause, DeviceCreatedCause } from '@vantage/health';
import { type Clock, newId } from '@vantage/kernel';
import { type Db, publish } from '../../db/index.ts';
import { conflict, type FieldFault, invalid, missing } from '../../http/problem.ts';
import type { Session } from '../../http/session.ts';
import type { Sealer } from '../../secrets/seal.ts';
import { unknownSecrets } from '../secrets/store.ts';
import type { SentSettings } from './fields.ts';
import { createsCycle, lockAccount, overloaded } from './lookup-store.ts';
import { openOrShown, referencesOf, sealTarget } from './sealed.ts';
import {
  privateAddressErrors,
  resolveReferences,
  resolveSettings,
  sameLocations,
  warningsOf,
} from './settings.ts';
import { type DeviceRow, readDevice } from './store.ts';
import { type ClearTarget, resolveTarget } from './target.ts';
import {
  type ChangeReach,
  type DeviceSettings,
  deleteDevice,
  dependentsOf,
  insertDevice,
  locationNosOf,
  updateDevice,
} from './write-store.ts';

/** Settings as they were sent: good fields, and what is wrong with the others. */
export interface Sent {
  readonly values: SentSettings;
  readonly faults: readonly FieldFault[];
}

/** Writes devices. Each call is one transaction; faults end it with a Problem that names them all. */
export interface DeviceWriter {
  create(
    session: Session,
    sent: Sent,
  ): Promise<{ readonly deviceId: string; readonly warnings: readonly string[] }>;
  update(session: Session, deviceNo: number, sent: Sent): Promise<{ readonly warnings: readonly string[] }>;
  /** Refused (1005) while the device is a master; names its users. */
  remove(session: Session, deviceNo: number): Promise<void>;
}

/** Records the events of a device in the transaction that wrote it. */
export type RecordDeviceEvents = (
  trx: Db['kysely'],
  causes: readonly (DeviceCreatedCause | DeviceChangedCause)[],
  nowUs: number,
) => Promise<void>;

/** Deletes the roll-ups of a device. */
export type DeleteRollUps = (trx: Db['kysely'], deviceNo: number) => Promise<void>;

/** Makes the writer. */
export function createDeviceWriter({
  db,
  clock,
  sealer,
  recordEvents,
  deleteRollUps,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly recordEvents: RecordDeviceEvents;
  readonly deleteRollUps: DeleteRollUps;
}): DeviceWriter {
  const settle = async (
    trx: Db['kysely'],
    session: Session,
    method: string,
    sent: Sent,
    current: { readonly row: DeviceRow; readonly clear: ClearTarget } | undefined,
  ): Promise<DeviceSettings> => {
    const faults = [...sent.faults];
    const plain = resolveSettings(sent.values, current?.row);
    const verdict = resolveTarget(method, sent.values, current?.clear);
    if (!verdict.ok) faults.push(...verdict.faults);
    const found = await resolveReferences(trx, session.accountNo, sent.values, current?.row);
    faults.push(...found.faults);
    if (verdict.ok) {
      faults.push(...privateAddressErrors(verdict.target.host, found.references.locations));
      faults.push(...(await referenceFaults(trx, session.accountNo, method, verdict.target.clear)));
    }
    if (!verdict.ok || faults.length > 0) throw invalid(unique(faults));
    const { references } = found;
    if (current !== undefined && references.masterNo !== null) {
      if (await createsCycle(trx, current.row.device_no, references.masterNo))
        throw invalid([{ field: 'device_master_id', message: 'would close a cycle of masters' }]);
    }
    const places = references.locations.map(({ location_no }) => location_no);
    const added = current === undefined ? 1 / plain.frequencyMin / Math.max(1, places.length) : 0;
    const busy = await overloaded(trx, places, added);
    const warnings = warningsOf(verdict.target.host, references.locations, busy);
    return { plain, target: verdict.target, references, warnings };
  };

  return {
    async create(session, sent) {
      const method = sent.values.Method;
      if (method === undefined) {
        const { faults } = await resolveReferences(db.kysely, session.accountNo, sent.values, undefined);
        throw invalid(unique([...sent.faults, ...faults]));
      }
      const deviceId = newId();
      return db.kysely.transaction().execute(async (trx) => {
        if (typeof sent.values.device_master_id === 'string') await lockAccount(trx, session.accountNo);
        const settings = await settle(trx, session, method, sent, undefined);
        const nowUs = clock.nowUs();
        const sealed = sealTarget(sealer, deviceId, settings.target.clear);
        const created = { deviceId, accountNo: session.accountNo, method, settings, sealed, nowUs };
        const deviceNo = await insertDevice(trx, created);
        const device = { accountNo: session.accountNo, deviceNo, deviceName: settings.plain.shortName };
        await recordEvents(trx, [{ kind: 'device-created', ...device }], nowUs);
        await notifyPlanner(
          trx,
          settings.references.locations.map(({ location_no }) => location_no),
        );
        return { deviceId, warnings: settings.warnings };
      });
    },

    async update(session, deviceNo, sent) {
      return db.kysely.transaction().execute(async (trx) => {
        await lockAccount(trx, session.accountNo);
        const nowUs = clock.nowUs();
        const row = await readDevice(trx, deviceNo, nowUs);
        if (row === undefined) throw missing('device');
        if (sent.values.Method !== undefined && sent.values.Method !== row.method)
          throw conflict(`Method cannot be changed: this device's is ${row.method}.`, [
            { field: 'Method', message: 'cannot be changed' },
          ]);
        const clear = openOrShown(sealer, row);
        const settings = await settle(trx, session, row.method, sent, { row, clear });
        const newLocations = !sameLocations(settings.references.locations, row.locations);
        const changes = changesOf(row, clear, settings, newLocations);
        const { warnings } = settings;
        const isWarnedAnew = !isDeepStrictEqual(row.warnings, warnings);
        if (changes.fields.length === 0 && !isWarnedAnew) return { warnings };
        const sealed = sealTarget(sealer, row.device_id, settings.target.clear);
        await updateDevice(trx, { deviceNo, settings, sealed, reach: changes.reach, newLocations, nowUs });
        if (changes.fields.length === 0) return { warnings };
        const device = { accountNo: session.accountNo, deviceNo, deviceName: settings.plain.shortName };
        const { fields } = changes;
        await recordEvents(trx, [{ kind: 'device-changed', ...device, status: row.status, fields }], nowUs);
        const places = [...row.locations, ...settings.references.locations].map(
          ({ location_no }) => location_no,
        );
        if (changes.reach !== 'none') await notifyPlanner(trx, places);
        return { warnings };
      });
    },

    async remove(session, deviceNo) {
      await db.kysely.transaction().execute(async (trx) => {
        await lockAccount(trx, session.accountNo);
        const dependents = await dependentsOf(trx, deviceNo);
        if (dependents.length > 0) throw conflict(usedText(dependents));
        const places = await locationNosOf(trx, deviceNo);
        await deleteRollUps(trx, deviceNo);
        await deleteDevice(trx, deviceNo);
        await notifyPlanner(trx, places);
      });
    },
  };
}

async function notifyPlanner(trx: Db['kysely'], locationNos: readonly number[]): Promise<void> {
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

/** Names references to secrets that the account does not have. */
async function referenceFaults(
  trx: Db['kysely'],
  accountNo: number,
  method: string,
  target: ClearTarget,
): Promise<readonly FieldFault[]> {
  const { url, options } = referencesOf(method, target);
  const names = [...new Set([...url, ...options])];
  // A secret is deleted under the same lock: none goes between this look and the device's commit.
  if (names.length > 0) await lockAccount(trx, accountNo);
  const unknown = await unknownSecrets(trx, accountNo, names);
  return unknown.map((name) => ({
    field: url.has(name) ? 'URL' : 'Options',
    message: `refers to the secret ${name}, which does not exist`,
  }));
}

/** Which settings change, and what that means for agents. */
function changesOf(
  row: DeviceRow,
  clear: ClearTarget,
  { plain, target, references }: DeviceSettings,
  newLocations: boolean,
): { readonly fields: readonly string[]; readonly reach: ChangeReach } {
  const parts: readonly (readonly [field: string, changed: boolean, reach: ChangeReach])[] = [
    ['URL', clear.url !== target.clear.url, 'target'],
    ['Options', !isDeepStrictEqual(clear.options, target.clear.options), 'target'],
    ['Locations', newLocations, 'schedule'],
    ['Locations', row.locations_given !== references.locationsGiven, 'none'],
    ['Frequency', row.frequency_min !== plain.frequencyMin, 'schedule'],
    ['Timeout', row.timeout_s !== plain.timeoutS, 'settings'],
    ['Retries', row.retries !== plain.retries, 'settings'],
    ['RetryDelay', row.retry_delay_s !== plain.retryDelayS, 'settings'],
    ['ShortName', row.short_name !== plain.shortName, 'none'],
    ['FullName', row.full_name !== plain.fullName, 'none'],
    ['nschedule_id', row.nschedule_no !== references.nscheduleNo, 'none'],
    ['mschedule_id', row.mschedule_no !== references.mscheduleNo, 'none'],
    ['device_master_id', row.master_no !== references.masterNo, 'none'],
  ];
  const changed = parts.filter(([, is]) => is);
  const order: readonly ChangeReach[] = ['target', 'schedule', 'settings'];
  const reach = order.find((kind) => changed.some(([, , each]) => each === kind)) ?? 'none';
  return { fields: [...new Set(changed.map(([field]) => field))], reach };
}

function unique(faults: readonly FieldFault[]): readonly FieldFault[] {
  return [...new Map(faults.map((fault) => [`${fault.field}\0${fault.message}`, fault])).values()];
}

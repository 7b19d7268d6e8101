import { cleanLine, type StoredAnchor, storedAnchors } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { publish } from '@vantage/storage';
import type { Location } from '@vantage/storage/entities';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import {
  keyConflict,
  resolveIdentity,
  type SourceIdentity,
  showIdentity,
} from '../../resources/external-key.ts';
import { changedFields, createdFields, present } from '../../resources/field-changes.ts';
import { refuseBeyondLimit } from '../../resources/limited-kinds.ts';
import { nameConflict } from '../../resources/name-conflict.ts';
import type { Conflict, Invalid, Refusal } from '../../resources/refusal.ts';
import { defaultLocations } from '../devices/referenced-locations.ts';
import { nscheduleIdOf, readNschedule } from '../devices/referenced-schedules.ts';
import { areEqual, privateAnchorFaults, type SentAnchors, toStored } from './anchor-field.ts';
import { keepDefaults, moveDefaults } from './default-locations.ts';
import { connectedAgents, findLocation, insertLocation, updateLocation } from './location-store.ts';
import { privateTargets } from './private-targets.ts';

/** The outcome of a request to create a Location. */
interface LocationCreation {
  readonly kind: 'created';
  readonly locationNo: number;
  readonly locationId: string;
}

/** Settings of a Location as they were sent: what is absent stays, null clears. */
interface SentLocation {
  readonly Name?: string | undefined;
  readonly PublicTargetsOnly?: boolean | undefined;
  readonly ExternalKey?: string | null | undefined;
  readonly Source?: string | null | undefined;
  readonly nschedule_id?: string | null | undefined;
  readonly Anchors?: SentAnchors | null | undefined;
}

/**
 * Creates a Location. If it becomes a default Location of the account (the one named `local`, if the account chose
 * none), its agents also check the devices that name no Locations.
 */
export async function createLocation(
  transaction: ChangeTransaction,
  given: Partial<SourceIdentity> & {
    readonly accountNo: number;
    readonly name: string;
    readonly publicTargetsOnly?: boolean | undefined;
    readonly nscheduleId?: string | null;
    readonly anchors?: SentAnchors | null | undefined;
    readonly nowUs: number;
  },
): Promise<LocationCreation | Conflict | Invalid> {
  const { trx } = transaction;
  const { accountNo, name, nowUs, publicTargetsOnly = false } = given;
  const identity = resolveIdentity({}, given);
  const { nscheduleId = null } = given;
  const anchors = toStored(given.anchors ?? []);
  const faults = publicTargetsOnly ? privateAnchorFaults(anchors) : [];
  if (faults.length > 0) return { kind: 'invalid', faults };
  await lockAccount(trx, accountNo);
  const refusal = await refuseBeyondLimit(transaction, 'locations', accountNo);
  if (refusal !== undefined) return refusal;
  const taken =
    (await keyConflict(trx, keyed(accountNo), identity.externalKey, undefined)) ??
    (await nameConflict(trx, keyed(accountNo), name, undefined));
  if (taken !== undefined) return taken;
  const nschedule = await readNschedule(trx, accountNo, { sent: nscheduleId, stored: null });
  if (nschedule.faults.length > 0) return { kind: 'invalid', faults: nschedule.faults };
  const locationId = newId();
  const locationNo = await insertLocation(transaction, {
    locationId,
    accountNo,
    name,
    publicTargetsOnly,
    ...identity,
    nscheduleNo: nschedule.no,
    anchors,
  });
  const fields = createdFields({
    Name: name,
    ...(publicTargetsOnly ? { PublicTargetsOnly: true } : {}),
    ...present(showIdentity(identity)),
    ...present({ nschedule_id: await nscheduleIdOf(trx, nschedule.no) }),
    ...(anchors.length === 0 ? {} : { Anchors: anchors }),
  });
  transaction.record({ action: 'create', kind: 'location', accountNo, id: locationId, fields });
  const defaults = (await defaultLocations(trx, accountNo)).map(({ location_no }) => location_no);
  if (defaults.includes(locationNo)) await moveDefaults(transaction, accountNo, defaults, nowUs);
  return { kind: 'created', locationNo, locationId };
}

/**
 * Changes a Location. Devices that name no Locations stay where they are: when the Location named `local` of an account
 * that chose no default Locations gets another name, it becomes the account's chosen one.
 */
export async function changeLocation(
  transaction: ChangeTransaction,
  change: {
    readonly accountNo: number;
    readonly locationId: string;
    readonly sent: SentLocation;
    readonly nowUs: number;
  },
): Promise<{ readonly kind: 'changed' } | Refusal> {
  const { trx } = transaction;
  const { accountNo, locationId, sent, nowUs } = change;
  await lockAccount(trx, accountNo);
  const location = await findLocation(transaction, accountNo, locationId);
  if (location === undefined) return { kind: 'missing', what: 'Location' };
  // What GET shows of a stored name may be cleaned; sent back, it is the stored one.
  const name = sent.Name === undefined || sent.Name === cleanLine(location.name) ? location.name : sent.Name;
  const { publicTargetsOnly: before, nscheduleNo: oldNo = null } = location;
  const oldIdentity = resolveIdentity({}, location);
  const nschedule = await readNschedule(trx, accountNo, { sent: sent.nschedule_id, stored: oldNo });
  if (nschedule.faults.length > 0) return { kind: 'invalid', faults: nschedule.faults };
  const identity = resolveIdentity(sent, location);
  const taken = await keyConflict(trx, keyed(accountNo), identity.externalKey, location.locationNo);
  if (taken !== undefined) return taken;
  const publicTargetsOnly = sent.PublicTargetsOnly ?? before;
  const isRenamed = name !== location.name;
  const holder = isRenamed ? await nameConflict(trx, keyed(accountNo), name, location.locationNo) : undefined;
  if (holder !== undefined) return holder;
  const hindered = publicTargetsOnly && !before ? await privateTargets(transaction, location) : undefined;
  if (hindered !== undefined) return hindered;
  const oldAnchors = readAnchors(location);
  const anchors = sent.Anchors === undefined ? oldAnchors : toStored(sent.Anchors ?? []);
  const faults = publicTargetsOnly ? privateAnchorFaults(anchors) : [];
  if (faults.length > 0) return { kind: 'invalid', faults };
  const names = [
    ...(name === location.name ? [] : ['Name']),
    ...(publicTargetsOnly === before ? [] : ['PublicTargetsOnly']),
    ...(identity.externalKey === oldIdentity.externalKey ? [] : ['ExternalKey']),
    ...(identity.source === oldIdentity.source ? [] : ['Source']),
    ...(nschedule.no === oldNo ? [] : ['nschedule_id']),
    ...(areEqual(anchors, oldAnchors) ? [] : ['Anchors']),
  ];
  if (names.length === 0) return { kind: 'changed' };
  const defaults = await defaultLocations(trx, accountNo);
  const settings = { name, publicTargetsOnly, ...identity, nscheduleNo: nschedule.no, anchors };
  const old = { ...location, ...oldIdentity, nscheduleNo: oldNo, anchors: oldAnchors };
  const shownOld = await shownSettings(trx, old);
  await updateLocation(transaction, location, settings);
  const fields = changedFields(names, shownOld, await shownSettings(trx, settings));
  transaction.record({ action: 'update', kind: 'location', accountNo, id: locationId, fields });
  await keepDefaults(transaction, location, {
    wasDefault: defaults.some(({ location_no }) => location_no === location.locationNo),
    nowUs,
  });
  if (names.includes('Anchors'))
    await publish(trx, 'plan', { agent_nos: [...(await connectedAgents(transaction, location))] });
  return { kind: 'changed' };
}

/** The stored anchors of a Location; a value that cannot be read is none. */
function readAnchors({ anchors }: Location): readonly StoredAnchor[] {
  return storedAnchors.safeParse(anchors).data ?? [];
}

/** The settings of a Location as the API shows them. */
async function shownSettings(
  trx: ChangeTransaction['trx'],
  settings: Pick<Location, 'name' | 'publicTargetsOnly'> &
    SourceIdentity & {
      readonly nscheduleNo: number | null;
      readonly anchors: readonly StoredAnchor[];
    },
) {
  return {
    Name: cleanLine(settings.name),
    PublicTargetsOnly: settings.publicTargetsOnly,
    ...showIdentity(settings),
    nschedule_id: await nscheduleIdOf(trx, settings.nscheduleNo),
    Anchors: settings.anchors,
  };
}

const keyed = (accountNo: number) => ({ kind: 'location', what: 'Location', accountNo }) as const;

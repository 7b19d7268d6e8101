import { cleanLine, type StoredAnchor, storedAnchors } from '@vantage/domain';
import { isPrivateHost, newId } from '@vantage/kernel';
import type { Location } from '../../platform/db/entities.ts';
import { publish } from '../../platform/db/index.ts';
import { readAccount, updateAccount } from '../accounts/store.ts';
import {
  type ChangeTransaction,
  changedFields,
  createdFields,
  deletedFields,
  lockAccount,
  present,
} from '../change.ts';
import { defaultLocations, nscheduleIdOf, readNschedule } from '../devices/references.ts';
import { moveDefaultDevices } from '../devices/write-store.ts';
import { type Identity, keyConflict, resolveIdentity, showIdentity } from '../external-key.ts';
import type { Conflict, Invalid, Missing, Refusal } from '../refusal.ts';
import { nameConflict, refuseBeyondLimit } from '../refusal.ts';
import { areEqual, privateAnchorFaults, type SentAnchors, toStored } from './anchors.ts';
import {
  connectedAgents,
  devicesOfLocation,
  findLocation,
  insertLocation,
  markLocationDeleted,
  updateLocation,
  usersOfLocation,
} from './store.ts';

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
 * Creates a Location. Where it becomes a default Location of the account (the one named `local` of an account that
 * chose none), its agents check from now on the devices that name no Locations.
 */
export async function createLocation(
  transaction: ChangeTransaction,
  given: Partial<Identity> & {
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
    Identity & {
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

/** Deletes a Location that nothing names. History goes on to show its name. */
export async function removeLocation(
  transaction: ChangeTransaction,
  { accountNo, locationId }: { readonly accountNo: number; readonly locationId: string },
): Promise<{ readonly kind: 'deleted' } | Conflict | Missing> {
  const { trx } = transaction;
  await lockAccount(trx, accountNo);
  const location = await findLocation(transaction, accountNo, locationId);
  if (location === undefined) return { kind: 'missing', what: 'Location' };
  const { devices, agents, count } = await usersOfLocation(transaction, location);
  const { default_location_ids: defaults } = await readAccount(trx, accountNo);
  const isDefault = defaults?.includes(locationId) === true;
  if (count > 0 || isDefault) {
    const others = count - devices.length - agents.length;
    const users = [
      ...devices.map((text) => `device ${text}`),
      ...agents.map((text) => `agent ${cleanLine(text)}`),
      ...(isDefault ? ["the account's DefaultLocations"] : []),
      ...(others > 0 ? [`${others} more`] : []),
    ];
    const message = `Location ${cleanLine(location.name)} cannot be deleted while these name it: ${users.join(', ')}.`;
    return { kind: 'conflict', reason: 'in_use', message };
  }
  await markLocationDeleted(transaction, location);
  const fields = deletedFields({ Name: cleanLine(location.name) });
  transaction.record({ action: 'delete', kind: 'location', accountNo, id: locationId, fields });
  return { kind: 'deleted' };
}

async function moveDefaults(
  transaction: ChangeTransaction,
  accountNo: number,
  locationNos: readonly number[],
  nowUs: number,
): Promise<void> {
  const concerned = await moveDefaultDevices(transaction, accountNo, locationNos, nowUs);
  await publish(transaction.trx, 'catalog', { location_nos: [...concerned] });
}

/**
 * After a change of a Location's name: a default Location stays one, and one that is now named `local` may become one.
 */
async function keepDefaults(
  transaction: ChangeTransaction,
  { accountNo, locationNo, locationId, name }: Location,
  { wasDefault, nowUs }: { readonly wasDefault: boolean; readonly nowUs: number },
): Promise<void> {
  const { trx } = transaction;
  const defaults = (await defaultLocations(trx, accountNo)).map(({ location_no }) => location_no);
  const isDefault = defaults.includes(locationNo);
  if (isDefault === wasDefault) return;
  if (isDefault) return moveDefaults(transaction, accountNo, defaults, nowUs);
  const { account_id: id, timezone, nschedule_no: nscheduleNo } = await readAccount(trx, accountNo);
  await updateAccount(transaction, accountNo, { timezone, nscheduleNo, defaultLocationIds: [locationId] });
  const fields = createdFields({ DefaultLocations: [name] });
  transaction.record({ action: 'update', kind: 'account', accountNo, id, fields });
}

const keyed = (accountNo: number) => ({ kind: 'location', what: 'Location', accountNo }) as const;

/** A refusal names this many devices. */
const maxNamed = 10;

/** The refusal of PublicTargetsOnly while devices of the Location have private addresses. */
async function privateTargets(
  transaction: ChangeTransaction,
  location: Location,
): Promise<Conflict | undefined> {
  // Loaded here: the operator's commands change no Location, and the probes are a sixth of the time of their start.
  const { probeFor } = await import('@vantage/probes');
  const found: string[] = [];
  let rows = await devicesOfLocation(transaction, location, 0);
  while (rows.length > 0 && found.length < maxNamed) {
    for (const { method, url, short_name, device_id } of rows) {
      const target = probeFor(method)?.parseTarget(url);
      if (target?.ok === true && isPrivateHost(target.target.host))
        found.push(`${short_name} (${device_id})`);
    }
    rows = await devicesOfLocation(transaction, location, rows.at(-1)?.device_no ?? 0);
  }
  if (found.length === 0) return undefined;
  const shown = found.slice(0, maxNamed).join(', ');
  return {
    kind: 'conflict',
    reason: 'in_use',
    message: `PublicTargetsOnly cannot be set while devices of this Location have private addresses: ${shown}${found.length > maxNamed ? ' and others' : ''}.`,
    faults: [{ field: 'PublicTargetsOnly', message: 'contradicts devices with private addresses' }],
  };
}

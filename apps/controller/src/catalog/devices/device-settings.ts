import { isReceived } from '@vantage/domain';
import type { FieldFault } from '@vantage/kernel';
import { probeFor } from '@vantage/probes';
import { syntaxProblem } from '@vantage/probes/settings';
import type { Tables } from '@vantage/storage';
import { referencesOf } from '@vantage/storage/secrets/sealed-device';
import type { Kysely } from 'kysely';
import { lockAccount } from '../../resources/account-lock.ts';
import { findByExternalKey, keyTaken } from '../../resources/external-key.ts';
import { type RowOf, resolve } from '../../resources/field-table.ts';
import type { Conflict, Invalid } from '../../resources/refusal.ts';
import { resolveRhythm } from './device-rhythm.ts';
import type { DeviceRow } from './device-store.ts';
import { deviceTable } from './device-table.ts';
import { type ClearTarget, type ResolvedTarget, resolveTarget } from './device-target.ts';
import { warningsOf } from './device-warnings.ts';
import { loadsOf, overloadedNames, perMinuteAtEach } from './location-overload.ts';
import { createsCycle } from './master-cycle.ts';
import { withoutAgents } from './received-device.ts';
import { privateAddressErrors } from './referenced-locations.ts';
import { type References, resolveReferences } from './references.ts';
import type { SentSettings } from './sent-device.ts';
import { reachesOf } from './setting-reach.ts';
import { unknownSecrets } from './unknown-secrets.ts';

/** The plain settings of a device, as the database stores them. */
export type PlainSettings = RowOf<typeof deviceTable>;

/** Everything of a device that its owner sets. */
export interface DeviceSettings {
  readonly plain: PlainSettings;
  readonly target: ResolvedTarget;
  readonly references: References;
  readonly warnings: readonly string[];
}

/**
 * Joins the sent settings with the current ones and with the things of the account to which they refer. Every fault is
 * named: those in `sent.faults`, then those that are found here.
 */
export async function resolveDevice(
  trx: Kysely<Tables>,
  device: {
    readonly accountNo: number;
    readonly method: string;
    readonly sent: { readonly values: SentSettings; readonly faults: readonly FieldFault[] };
    /** undefined: the device is new. */
    readonly current: { readonly row: DeviceRow; readonly clear: ClearTarget } | undefined;
    /** Checks a minute that new devices add to a Location which are not written yet. */
    readonly waitingLoad?: (locationNo: number) => number;
  },
): Promise<{ readonly kind: 'resolved'; readonly settings: DeviceSettings } | Invalid | Conflict> {
  const { accountNo, method, current, waitingLoad = () => 0 } = device;
  const received = isReceived(method) ? withoutAgents(device.sent.values, current?.row) : undefined;
  const sent = received === undefined ? device.sent : joinFaults(device.sent, received);
  const { plain, faults: contradictions } = resolveSettings(sent.values, current?.row);
  const faults = [...sent.faults, ...contradictions];
  const resolution = resolveTarget(method, sent.values, current?.clear);
  if (!resolution.ok) faults.push(...resolution.faults);
  const found = await resolveReferences(trx, accountNo, sent.values, current?.row);
  faults.push(...found.faults);
  if (resolution.ok) {
    faults.push(...privateAddressErrors(resolution.target.host, found.references.locations));
    faults.push(...(await referenceFaults(trx, accountNo, method, resolution.target.clear)));
    faults.push(...(await programFaults(method, resolution.target.clear.url, current?.clear.url)));
  }
  if (!resolution.ok || faults.length > 0) return { kind: 'invalid', faults: unique(faults) };
  const { references } = found;
  if (current !== undefined && references.masterNo !== null) {
    if (await createsCycle(trx, current.row.device_no, references.masterNo))
      return {
        kind: 'invalid',
        faults: [{ field: 'device_master_id', message: 'would close a cycle of masters' }],
      };
  }
  const key = sent.values.ExternalKey;
  const holder = typeof key === 'string' ? await findByExternalKey(trx, 'device', accountNo, key) : undefined;
  if (typeof key === 'string' && holder !== undefined && holder.no !== current?.row.device_no)
    return keyTaken(key, `the device ${holder.id}`);
  const locationNos = references.locations.map(({ location_no }) => location_no);
  const added = current === undefined ? perMinuteAtEach(plain, locationNos.length) : 0;
  const loads = await loadsOf(trx, locationNos);
  const busy = overloadedNames(loads, (locationNo) => added + waitingLoad(locationNo));
  const warnings = isReceived(method) ? [] : warningsOf(resolution.target.host, references.locations, busy);
  return { kind: 'resolved', settings: { plain, target: resolution.target, references, warnings } };
}

function joinFaults(
  { faults }: { readonly faults: readonly FieldFault[] },
  more: { readonly values: SentSettings; readonly faults: readonly FieldFault[] },
) {
  return { values: more.values, faults: [...faults, ...more.faults] };
}

/** Names references to secrets that the account does not have. */
async function referenceFaults(
  trx: Kysely<Tables>,
  accountNo: number,
  method: string,
  target: ClearTarget,
): Promise<readonly FieldFault[]> {
  const { url, options } = referencesOf(method, target);
  const names = [...new Set([...url, ...options])];
  // A secret is deleted under the same lock, so that none is deleted between this query and the commit of the device.
  if (names.length > 0) await lockAccount(trx, accountNo);
  const unknown = await unknownSecrets(trx, accountNo, names);
  return unknown.map((name) => ({
    field: url.has(name) ? 'URL' : 'Options',
    message: `refers to the secret ${name}, which does not exist`,
    reason: 'no_such_secret',
  }));
}

/** Names a syntax error of a new program; a stored one stays, so that a device with it can still be renamed. */
async function programFaults(
  method: string,
  url: string,
  storedUrl: string | undefined,
): Promise<readonly FieldFault[]> {
  const probe = probeFor(method);
  const message = probe === undefined || url === storedUrl ? undefined : await syntaxProblem(probe, url);
  return message === undefined ? [] : [{ field: 'URL', message }];
}

/** The faults without repetitions. */
export function unique(faults: readonly FieldFault[]): readonly FieldFault[] {
  return [...new Map(faults.map((fault) => [`${fault.field}\0${fault.message}`, fault])).values()];
}

/**
 * Lays the sent settings over the current ones: an absent one stays, null sets the default. Names settings that
 * contradict each other.
 */
function resolveSettings(
  sent: SentSettings,
  current: PlainSettings | undefined,
): { readonly plain: PlainSettings; readonly faults: readonly FieldFault[] } {
  const { rhythm, faults } = resolveRhythm(sent, current ?? newDevice);
  return { plain: { ...resolve(deviceTable, sent, current), ...rhythm }, faults };
}

/** The plain settings of a new device whose client sends none. */
const newDevice = resolve(deviceTable, {}, undefined);

export const { ExternalKey, Source, ...plain } = reachesOf(deviceTable);

import type { Json } from '@vantage/domain';
import { isRecord } from '@vantage/kernel';
import { textOf } from '../json-values.ts';
import type { AccountState } from './account-state.ts';
import type { PlannedChange, PlanOptions, PlanStep } from './apply-plan.ts';
import { shownAddress } from './contact-address.ts';
import type { DesiredResource } from './desired-resource.ts';
import { type AccountResource, kinds, type ManagedKind, type ResourceSettings } from './managed-kinds.ts';
import { isUnchanged } from './normalize-settings.ts';

/** Replaces the ids in a field by names. */
export type NameLookup = (kind: ManagedKind, field: string, value: Json | undefined) => Json;

export function createNameLookup(resources: readonly AccountResource[]): NameLookup {
  const names = new Map(
    resources.map(({ id, key, name, settings }) => [id, key ?? textOf(settings['Name'] ?? name)]),
  );
  const nameOfId = (value: Json): Json =>
    typeof value === 'string' ? (names.get(value) ?? value.replace(/^key:/, '')) : value;
  return (kind, field, value = null) => {
    if (kind === 'nschedule' && field === 'Steps' && Array.isArray(value))
      return value.map((step: Json) =>
        isRecord(step) && Array.isArray(step['Contacts'])
          ? { ...step, Contacts: step['Contacts'].map(nameOfId) }
          : step,
      );
    if (kinds[kind].references[field] === undefined) return value;
    return Array.isArray(value) ? value.map(nameOfId) : nameOfId(value);
  };
}

/** The step that creates or changes a resource; undefined where the account already has it. */
export function stepFor(
  desired: DesiredResource,
  account: AccountState,
  options: PlanOptions,
  lookUpName: NameLookup,
): PlanStep | undefined {
  const { resource } = desired;
  return resource === undefined
    ? createStep(desired, options)
    : changeStep(desired, resource, account, options, lookUpName);
}

function createStep({ entry, name, settings, secrets }: DesiredResource, { source }: PlanOptions): PlanStep {
  const { kind, key, at } = entry;
  const owner = source === undefined ? {} : { Source: source };
  const fields = Object.entries(entry.settings)
    .filter(([field]) => !(field in secrets))
    .map(([field, value]) => ({ field, old: null, new: maskedValue(kind, field, settings, value) }));
  const body = { ...withoutDefaults(kind, settings), ...secrets, ExternalKey: key, ...owner };
  return { verb: 'create', kind, key, name, id: undefined, body, fields, at };
}

function changeStep(
  desired: DesiredResource,
  resource: AccountResource,
  account: AccountState,
  { source, isAdopting, isSendingSecrets }: PlanOptions,
  lookUpName: NameLookup,
): PlanStep | undefined {
  const { entry, name, settings, secrets } = desired;
  const { kind, key, at } = entry;
  const changed = Object.entries(settings).filter(([field]) => !isUnchanged(desired, field, account));
  const identity: PlannedChange[] = [];
  if (resource.key !== key && isAdopting)
    identity.push({ field: 'ExternalKey', old: resource.key, new: key });
  if (source !== undefined && resource.source !== source)
    identity.push({ field: 'Source', old: resource.source, new: source });
  const sentSecrets = changed.some(([field]) => field === 'Address') || isSendingSecrets ? secrets : {};
  const fields = [
    ...identity,
    ...changed.map(([field, value]) => ({
      field,
      old: lookUpName(kind, field, resource.settings[field]),
      new: maskedValue(kind, field, settings, lookUpName(kind, field, value)),
    })),
    ...Object.keys(sentSecrets).map((field) => ({ field, old: '***', new: '***' })),
  ];
  if (fields.length === 0) return undefined;
  const body = {
    ...bodyOf(changed),
    ...sentSecrets,
    ...Object.fromEntries(identity.map((change) => [change.field, change.new])),
  };
  return { verb: 'change', kind, key, name, id: resource.id, body, fields, at };
}

/** A plan is printed, so it must not show credentials. */
function maskedValue(kind: ManagedKind, field: string, settings: ResourceSettings, value: Json): Json {
  return kind === 'contact' && field === 'Address' ? shownAddress(settings, value) : value;
}

/** The API shows Frequency 1 together with FrequencySeconds, but accepts only one of them in a change. */
function bodyOf(changed: readonly (readonly [string, Json])[]): ResourceSettings {
  const body = Object.fromEntries(changed);
  if (typeof body['FrequencySeconds'] !== 'number') return body;
  const { Frequency: _, ...others } = body;
  return others;
}

function withoutDefaults(kind: ManagedKind, settings: ResourceSettings): ResourceSettings {
  const { fields } = kinds[kind];
  return bodyOf(
    Object.entries(settings).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(fields[field]),
    ),
  );
}

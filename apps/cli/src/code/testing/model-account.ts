import type { Json } from '@vantage/domain';
import { textOf } from '../../json-values.ts';
import type { AccountState } from '../account-state.ts';
import type { PlanStep } from '../apply-plan.ts';
import {
  type AccountResource,
  kinds,
  type ManagedKind,
  nameOf,
  type ResourceSettings,
  required,
  writeOnly,
} from '../managed-kinds.ts';

/** An account in memory that carries out the steps of a plan as the API does. */
export interface ModelAccount {
  readonly account: () => AccountState;
  readonly apply: (steps: readonly PlanStep[]) => void;
  /** Changes a field of a resource as a person would. */
  readonly edit: (id: string, field: string, value: Json) => void;
}

/** Creates an empty account with the Location `local`. */
export function createModelAccount(): ModelAccount {
  const resources = new Map<string, AccountResource>();
  let count = 0;
  const newId = () => {
    count += 1;
    return count.toString(16).padStart(48, '0');
  };
  const idOf = (kind: ManagedKind, text: Json): Json => {
    if (typeof text !== 'string') return text;
    for (const resource of resources.values())
      if (
        resource.kind === kind &&
        [resource.id, `key:${resource.key}`, resource.settings['Name']].includes(text)
      )
        return resource.id;
    throw new Error(`the model has no ${kind} ${text}`);
  };
  const stored = (kind: ManagedKind, body: ResourceSettings, before: ResourceSettings): ResourceSettings => {
    const next: Record<string, Json> = { ...before };
    for (const [field, byDefault] of Object.entries(kinds[kind].fields)) {
      if (byDefault === writeOnly) continue;
      if (body[field] === undefined && before[field] !== undefined) continue;
      const value = body[field] ?? (byDefault === required ? null : byDefault);
      const other = kinds[kind].references[field];
      if (other === undefined || value === null) next[field] = value;
      else
        next[field] = Array.isArray(value)
          ? value.map((each: Json) => idOf(other, each))
          : idOf(other, value);
    }
    if (kind === 'device') {
      next['Options'] ??= {};
      if (next['FrequencySeconds'] !== null) next['Frequency'] = 1;
    }
    if (kind === 'nschedule' && Array.isArray(next['Steps']))
      next['Steps'] = next['Steps'].map((step) => {
        const { Contacts, ...others } = step as Readonly<Record<string, Json>>;
        return { ...others, Contacts: (Contacts as Json[]).map((each) => idOf('contact', each)) };
      });
    return next;
  };
  const put = (
    kind: ManagedKind,
    id: string,
    body: ResourceSettings,
    before: AccountResource | undefined,
  ) => {
    const settings = stored(kind, body, before?.settings ?? {});
    const key = body['ExternalKey'] === undefined ? (before?.key ?? null) : textOf(body['ExternalKey']);
    const source = body['Source'] === undefined ? (before?.source ?? null) : body['Source'];
    resources.set(id, {
      kind,
      id,
      key,
      source: typeof source === 'string' ? source : null,
      name: nameOf(settings, key),
      settings,
    });
  };
  put('location', newId(), { Name: 'local' }, undefined);
  const [local] = resources.keys();
  return {
    account: () => ({
      resources: [...resources.values()],
      timezone: 'UTC',
      defaultLocationIds: [local ?? ''],
    }),
    apply(steps) {
      for (const { verb, kind, id, body } of steps) {
        if (verb === 'delete') {
          for (const { settings } of resources.values())
            if (JSON.stringify(settings).includes(`"${id}"`)) throw new Error(`${id} is still used`);
          resources.delete(id ?? '');
        } else put(kind, id ?? newId(), body, resources.get(id ?? ''));
      }
    },
    edit(id, field, value) {
      const resource = resources.get(id);
      if (resource !== undefined)
        resources.set(id, { ...resource, settings: { ...resource.settings, [field]: value } });
    },
  };
}

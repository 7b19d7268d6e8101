import type { Json } from '@vantage/domain';
import { textOf } from '../../json-text.ts';
import { type Kind, kinds, nameOf, required, type Settings, type Thing, writeOnly } from '../kinds.ts';
import type { Step } from '../plan.ts';
import type { Account } from '../resolve.ts';

/** An account in memory that does what the API does with the requests of a plan. */
export interface ModelAccount {
  readonly account: () => Account;
  readonly carryOut: (steps: readonly Step[]) => void;
  /** Changes a field of a thing as a person would. */
  readonly edit: (id: string, field: string, value: Json) => void;
}

/** Creates an empty account with the Location `local`. */
export function createModelAccount(): ModelAccount {
  const things = new Map<string, Thing>();
  let count = 0;
  const newId = () => {
    count += 1;
    return count.toString(16).padStart(48, '0');
  };
  const idOf = (kind: Kind, text: Json): Json => {
    if (typeof text !== 'string') return text;
    for (const each of things.values())
      if (each.kind === kind && [each.id, `key:${each.key}`, each.settings['Name']].includes(text))
        return each.id;
    throw new Error(`the model has no ${kind} ${text}`);
  };
  const stored = (kind: Kind, body: Settings, before: Settings): Settings => {
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
  const put = (kind: Kind, id: string, body: Settings, before: Thing | undefined) => {
    const settings = stored(kind, body, before?.settings ?? {});
    const key = body['ExternalKey'] === undefined ? (before?.key ?? null) : textOf(body['ExternalKey']);
    const source = body['Source'] === undefined ? (before?.source ?? null) : body['Source'];
    things.set(id, {
      kind,
      id,
      key,
      source: typeof source === 'string' ? source : null,
      name: nameOf(settings, key),
      settings,
    });
  };
  put('location', newId(), { Name: 'local' }, undefined);
  const [local] = things.keys();
  return {
    account: () => ({ things: [...things.values()], timezone: 'UTC', defaultLocationIds: [local ?? ''] }),
    carryOut(steps) {
      for (const { verb, kind, id, body } of steps) {
        if (verb === 'delete') {
          for (const { settings } of things.values())
            if (JSON.stringify(settings).includes(`"${id}"`)) throw new Error(`${id} is still used`);
          things.delete(id ?? '');
        } else put(kind, id ?? newId(), body, things.get(id ?? ''));
      }
    },
    edit(id, field, value) {
      const thing = things.get(id);
      if (thing !== undefined) things.set(id, { ...thing, settings: { ...thing.settings, [field]: value } });
    },
  };
}

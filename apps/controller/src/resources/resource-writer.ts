import { isDeepStrictEqual } from 'node:util';
import { cleanLine } from '@vantage/domain';
import { type FieldFault, newId } from '@vantage/kernel';
import type { NamedThing } from '@vantage/rest-kit/problem';
import { lockAccount } from './account-lock.ts';
import type { ChangeTransaction } from './change.ts';
import { keyConflict } from './external-key.ts';
import {
  changedFields,
  createdFields,
  deletedFields,
  type FieldChange,
  present,
  type ShownFields,
  secretField,
} from './field-changes.ts';
import { refuseBeyondLimit } from './limited-kinds.ts';
import { nameConflict } from './name-conflict.ts';
import { type Conflict, type Invalid, joinFaults, type Missing, type Refusal } from './refusal.ts';
import type { SentFields } from './resource-routes.ts';

/** Settings that all kinds of resources have. */
interface CommonSettings {
  readonly name: string;
}

/**
 * The parts in which kinds of resources differ. The account is locked while these functions run.
 */
interface ResourceKind<Entity, Settings, Sent> {
  readonly kind: 'mschedule' | 'nschedule' | 'hook' | 'page' | 'report';
  /** Its name in the texts of refusals. */
  readonly what: NamedThing;
  find(transaction: ChangeTransaction, accountNo: number, id: string): Promise<Entity | undefined>;
  /** Resolves with the resource's number. */
  insert(
    transaction: ChangeTransaction,
    resource: Settings & { readonly accountNo: number; readonly id: string },
  ): Promise<number>;
  update(transaction: ChangeTransaction, resource: Entity, settings: Settings): Promise<void>;
  remove(transaction: ChangeTransaction, no: number): Promise<void>;
  /** Texts for people of what uses a resource; more than ten are shown as "and others". */
  users(transaction: ChangeTransaction, accountNo: number, no: number): Promise<readonly string[]>;
  numberOf(resource: Entity): number;
  settingsOf(resource: Entity): Settings;
  /** The settings as the API shows them. */
  show(settings: Settings): ShownFields;
  /** The conflict with others, besides that of a name or key. `no` is undefined for a new resource. */
  conflict?(
    transaction: ChangeTransaction,
    settings: Settings,
    no: number | undefined,
  ): Promise<Conflict | undefined>;
  /** Values that no answer shows, by their fields; null: none. */
  hidden?(settings: Settings): Readonly<Record<string, string | null>>;
  /**
   * Lays the sent values over the current settings (those of a new resource: undefined), with the faults of what they
   * name.
   */
  resolve(
    transaction: ChangeTransaction,
    accountNo: number,
    sent: Sent,
    current: Settings | undefined,
  ): Promise<{ readonly settings: Settings; readonly faults: readonly FieldFault[] }>;
}

/** Creates, changes and deletes the resources of a kind in an open transaction. A refusal names every fault. */
interface ResourceWriter<Sent> {
  create(
    transaction: ChangeTransaction,
    resource: { readonly accountNo: number; readonly sent: SentFields<Sent> },
  ): Promise<{ readonly kind: 'created'; readonly id: string; readonly no: number } | Conflict | Invalid>;
  /** Absent fields keep their value. */
  change(
    transaction: ChangeTransaction,
    change: { readonly accountNo: number; readonly id: string; readonly sent: SentFields<Sent> },
  ): Promise<{ readonly kind: 'changed' } | Refusal>;
  /** Refused while something uses the resource. */
  remove(
    transaction: ChangeTransaction,
    resource: { readonly accountNo: number; readonly id: string },
  ): Promise<{ readonly kind: 'deleted' } | Conflict | Missing>;
}

/** Creates the writer of a kind of resource. */
export function createResourceWriter<
  Entity extends { readonly name: string },
  Settings extends CommonSettings,
  Sent,
>(resources: ResourceKind<Entity, Settings, Sent>): ResourceWriter<Sent> {
  const { kind, what } = resources;
  const keyed = (accountNo: number) => ({ kind, what, accountNo }) as const;
  const resolve = async (
    transaction: ChangeTransaction,
    { accountNo, sent }: { readonly accountNo: number; readonly sent: SentFields<Sent> },
    current: Settings | undefined,
  ) => {
    const { settings, faults } = await resources.resolve(transaction, accountNo, sent.values, current);
    return { settings, faults: joinFaults(sent.faults, faults) };
  };

  return {
    async create(transaction, { accountNo, sent }) {
      await lockAccount(transaction.trx, accountNo);
      const { settings, faults } = await resolve(transaction, { accountNo, sent }, undefined);
      if (faults.length > 0) return { kind: 'invalid', faults };
      const refusal = await refuseBeyondLimit(transaction, `${kind}s`, accountNo);
      if (refusal !== undefined) return refusal;
      const shown = present(resources.show(settings));
      const taken =
        (await keyConflict(transaction.trx, keyed(accountNo), keyOf(shown), undefined)) ??
        (await nameConflict(transaction.trx, keyed(accountNo), settings.name, undefined)) ??
        (await resources.conflict?.(transaction, settings, undefined));
      if (taken !== undefined) return taken;
      const id = newId();
      const no = await resources.insert(transaction, { ...settings, id, accountNo });
      const hidden = hiddenChanges({}, resources.hidden?.(settings), Object.keys(shown));
      const fields = [...createdFields(shown), ...hidden];
      transaction.record({ action: 'create', kind, accountNo, id, fields });
      return { kind: 'created', id, no };
    },
    async change(transaction, { accountNo, id, sent }) {
      await lockAccount(transaction.trx, accountNo);
      const resource = await resources.find(transaction, accountNo, id);
      if (resource === undefined) return { kind: 'missing', what };
      const current = resources.settingsOf(resource);
      const { settings, faults } = await resolve(transaction, { accountNo, sent }, current);
      if (faults.length > 0) return { kind: 'invalid', faults };
      const [before, after] = [resources.show(current), resources.show(settings)];
      const names = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
      const hidden = hiddenChanges(resources.hidden?.(current), resources.hidden?.(settings), names);
      if (names.length + hidden.length === 0) return { kind: 'changed' };
      const ownNo = resources.numberOf(resource);
      const taken =
        (await keyConflict(transaction.trx, keyed(accountNo), keyOf(after), ownNo)) ??
        (names.includes('Name')
          ? await nameConflict(transaction.trx, keyed(accountNo), settings.name, ownNo)
          : undefined) ??
        (await resources.conflict?.(transaction, settings, ownNo));
      if (taken !== undefined) return taken;
      await resources.update(transaction, resource, settings);
      const fields = [...changedFields(names, before, after), ...hidden];
      transaction.record({ action: 'update', kind, accountNo, id, fields });
      return { kind: 'changed' };
    },
    async remove(transaction, { accountNo, id }) {
      await lockAccount(transaction.trx, accountNo);
      const resource = await resources.find(transaction, accountNo, id);
      if (resource === undefined) return { kind: 'missing', what };
      const [name, no] = [cleanLine(resource.name), resources.numberOf(resource)];
      const users = (await resources.users(transaction, accountNo, no)).map(cleanLine);
      if (users.length > 0) {
        const shown = `${users.slice(0, 10).join(', ')}${users.length > 10 ? ' and others' : ''}`;
        const named = `${what.charAt(0).toUpperCase()}${what.slice(1)} ${name}`;
        return {
          kind: 'conflict',
          reason: 'in_use',
          message: `${named} cannot be deleted while these use it: ${shown}.`,
        };
      }
      await resources.remove(transaction, no);
      transaction.record({ action: 'delete', kind, accountNo, id, fields: deletedFields({ Name: name }) });
      return { kind: 'deleted' };
    },
  };
}

function keyOf({ ExternalKey: key }: ShownFields): string | null {
  return typeof key === 'string' ? key : null;
}

/** The fields of hidden values that differ, besides those of which `shown` says so already. */
function hiddenChanges(
  before: Readonly<Record<string, string | null>> = {},
  after: Readonly<Record<string, string | null>> = {},
  shown: readonly string[] = [],
): readonly FieldChange[] {
  return Object.entries(after)
    .filter(([name, value]) => value !== (before[name] ?? null) && !shown.includes(name))
    .map(([name]) => secretField(name, before[name] != null));
}

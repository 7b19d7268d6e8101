import { isDeepStrictEqual } from 'node:util';
import { cleanLine } from '@vantage/domain';
import { type FieldFault, newId } from '@vantage/kernel';
import type { ChangeTransaction } from './change.ts';
import { lockAccount } from './devices/lookup-store.ts';
import { type Identity, keyConflict } from './external-key.ts';
import { changedFields, createdFields, deletedFields, present, type ShownFields } from './field-change.ts';
import { refuseBeyondLimit } from './limits.ts';
import { nameConflict } from './name.ts';
import { type Conflict, type Invalid, joinFaults, type Missing, type Refusal } from './refusal.ts';
import type { SentFields } from './resource-routes.ts';

/** Settings that all kinds of schedules have. */
interface CommonSettings extends Identity {
  readonly name: string;
  readonly timezone: string;
}

/**
 * The parts in which kinds of schedules differ. The account is locked while these functions run.
 */
interface ScheduleKind<Entity, Settings, Sent> {
  readonly kind: 'mschedule' | 'nschedule';
  /** Its name in the texts of refusals. */
  readonly what: string;
  find(transaction: ChangeTransaction, accountNo: number, id: string): Promise<Entity | undefined>;
  /** Resolves with the schedule's number. */
  insert(
    transaction: ChangeTransaction,
    schedule: Settings & { readonly accountNo: number; readonly id: string },
  ): Promise<number>;
  update(transaction: ChangeTransaction, schedule: Entity, settings: Settings): Promise<void>;
  remove(transaction: ChangeTransaction, no: number): Promise<void>;
  /** Texts for people of what uses a schedule; more than ten are shown as "and others". */
  users(transaction: ChangeTransaction, accountNo: number, no: number): Promise<readonly string[]>;
  numberOf(schedule: Entity): number;
  settingsOf(schedule: Entity): Settings;
  /** The settings as the API shows them. */
  show(settings: Settings): ShownFields;
  /**
   * Lays the sent values over the current settings (those of a new schedule: undefined), with the faults of what they
   * name.
   */
  resolve(
    transaction: ChangeTransaction,
    accountNo: number,
    sent: Sent,
    current: Settings | undefined,
  ): Promise<{ readonly settings: Settings; readonly faults: readonly FieldFault[] }>;
}

/** Creates, changes and deletes the schedules of a kind in an open transaction. A refusal names every fault. */
interface ScheduleWriter<Sent> {
  create(
    transaction: ChangeTransaction,
    schedule: { readonly accountNo: number; readonly sent: SentFields<Sent> },
  ): Promise<{ readonly kind: 'created'; readonly id: string; readonly no: number } | Conflict | Invalid>;
  /** Absent fields keep their value. */
  change(
    transaction: ChangeTransaction,
    change: { readonly accountNo: number; readonly id: string; readonly sent: SentFields<Sent> },
  ): Promise<{ readonly kind: 'changed' } | Refusal>;
  /** Refused while something uses the schedule. */
  remove(
    transaction: ChangeTransaction,
    schedule: { readonly accountNo: number; readonly id: string },
  ): Promise<{ readonly kind: 'deleted' } | Conflict | Missing>;
}

/** Creates the writer of a kind of schedule. */
export function createScheduleWriter<
  Entity extends { readonly name: string },
  Settings extends CommonSettings,
  Sent,
>(schedules: ScheduleKind<Entity, Settings, Sent>): ScheduleWriter<Sent> {
  const { kind, what } = schedules;
  const keyed = (accountNo: number) => ({ kind, what, accountNo }) as const;
  const resolve = async (
    transaction: ChangeTransaction,
    { accountNo, sent }: { readonly accountNo: number; readonly sent: SentFields<Sent> },
    current: Settings | undefined,
  ) => {
    const { settings, faults } = await schedules.resolve(transaction, accountNo, sent.values, current);
    return { settings, faults: joinFaults(sent.faults, faults) };
  };

  return {
    async create(transaction, { accountNo, sent }) {
      await lockAccount(transaction.trx, accountNo);
      const { settings, faults } = await resolve(transaction, { accountNo, sent }, undefined);
      if (faults.length > 0) return { kind: 'invalid', faults };
      const refusal = await refuseBeyondLimit(transaction, `${kind}s`, accountNo);
      if (refusal !== undefined) return refusal;
      const taken =
        (await keyConflict(transaction.trx, keyed(accountNo), settings.externalKey, undefined)) ??
        (await nameConflict(transaction.trx, keyed(accountNo), settings.name, undefined));
      if (taken !== undefined) return taken;
      const id = newId();
      const no = await schedules.insert(transaction, { ...settings, id, accountNo });
      const fields = createdFields(present(schedules.show(settings)));
      transaction.record({ action: 'create', kind, accountNo, id, fields });
      return { kind: 'created', id, no };
    },
    async change(transaction, { accountNo, id, sent }) {
      await lockAccount(transaction.trx, accountNo);
      const schedule = await schedules.find(transaction, accountNo, id);
      if (schedule === undefined) return { kind: 'missing', what };
      const current = schedules.settingsOf(schedule);
      const { settings, faults } = await resolve(transaction, { accountNo, sent }, current);
      if (faults.length > 0) return { kind: 'invalid', faults };
      const [before, after] = [schedules.show(current), schedules.show(settings)];
      const names = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
      if (names.length === 0) return { kind: 'changed' };
      const own = schedules.numberOf(schedule);
      const taken =
        (await keyConflict(transaction.trx, keyed(accountNo), settings.externalKey, own)) ??
        (names.includes('Name')
          ? await nameConflict(transaction.trx, keyed(accountNo), settings.name, own)
          : undefined);
      if (taken !== undefined) return taken;
      await schedules.update(transaction, schedule, settings);
      const fields = changedFields(names, before, after);
      transaction.record({ action: 'update', kind, accountNo, id, fields });
      return { kind: 'changed' };
    },
    async remove(transaction, { accountNo, id }) {
      await lockAccount(transaction.trx, accountNo);
      const schedule = await schedules.find(transaction, accountNo, id);
      if (schedule === undefined) return { kind: 'missing', what };
      const [name, no] = [cleanLine(schedule.name), schedules.numberOf(schedule)];
      const users = (await schedules.users(transaction, accountNo, no)).map(cleanLine);
      if (users.length > 0) {
        const shown = `${users.slice(0, 10).join(', ')}${users.length > 10 ? ' and others' : ''}`;
        const named = `${what.charAt(0).toUpperCase()}${what.slice(1)} ${name}`;
        return { kind: 'conflict', message: `${named} cannot be deleted while these use it: ${shown}.` };
      }
      await schedules.remove(transaction, no);
      transaction.record({ action: 'delete', kind, accountNo, id, fields: deletedFields({ Name: name }) });
      return { kind: 'deleted' };
    },
  };
}

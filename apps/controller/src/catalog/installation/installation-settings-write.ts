import { isDeepStrictEqual } from 'node:util';
import type { FieldFault } from '@vantage/kernel';
import { publish, type Tables } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import type { Transaction } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import { changedFields, mask } from '../../resources/field-changes.ts';
import type { Refusal } from '../../resources/refusal.ts';
import {
  type EnvironmentSettings,
  type InstallationSettings,
  type StoredSettings,
  settingsInForce,
  settingVariables,
} from './installation-settings.ts';
import type { SentMailServer, SentSettings } from './installation-settings-fields.ts';
import { readInstallationSettings, storeInstallationSettings } from './installation-settings-store.ts';
import type { MailServer } from './mail-server.ts';

/** The parts that a change of the settings needs. */
export interface SettingsWriteDeps {
  readonly sealer: Sealer;
  readonly environment: EnvironmentSettings;
  /** Mails that were tried in vain are tried again in the transaction of a new mail server. */
  readonly onMailServer: (trx: Transaction<Tables>) => Promise<void>;
}

/** Changes settings of the installation: absent fields stay, null is the default. All controllers are notified. */
export async function changeInstallationSettings(
  transaction: ChangeTransaction,
  { sealer, environment, onMailServer }: SettingsWriteDeps,
  change: {
    readonly accountNo: number;
    readonly accountId: string;
    readonly sent: Partial<SentSettings>;
    readonly faults: readonly FieldFault[];
    readonly nowUs: number;
  },
): Promise<{ readonly kind: 'changed' } | Refusal> {
  const { accountNo, accountId, sent, nowUs } = change;
  const { trx } = transaction;
  const stored = await readInstallationSettings(trx, sealer);
  const current = settingsInForce(environment, stored);
  const server = resolveMailServer(sent.MailServer, current.mailServer);
  const faults = [...change.faults, ...server.faults];
  if (faults.length > 0) return { kind: 'invalid', faults };
  const resolved = { ...sent, MailServer: sent.MailServer === undefined ? undefined : server.value };
  const fixed = fieldsOfOperator(environment, current, resolved);
  if (fixed.length > 0) return fixedConflict(fixed);
  const next = layOver(environment, stored, resolved, current);
  const names = differences(stored, next);
  if (names.length === 0) return { kind: 'changed' };
  await storeInstallationSettings(transaction, sealer, next, Math.max(nowUs, (stored.updatedUs ?? 0) + 1));
  if (names.includes('MailServer') && next.mailServer !== null) await onMailServer(trx);
  await publish(trx, 'settings', {});
  const fields = changedFields(names, shown(stored), shown(next));
  transaction.record({ action: 'update', kind: 'installation', accountNo, id: accountId, fields });
  return { kind: 'changed' };
}

/** The mail server of a request: a mask is the password in force, if no other field changes. Pure. */
export function resolveMailServer(
  sent: SentMailServer | null | undefined,
  current: MailServer | null,
): { readonly value: MailServer | null; readonly faults: readonly FieldFault[] } {
  if (sent === undefined) return { value: current, faults: [] };
  if (sent === null) return { value: null, faults: [] };
  if ((sent.User === null) !== (sent.Password === null))
    return fault('MailServer.Password', 'must be given together with User');
  if (sent.Password !== mask) return { value: sent, faults: [] };
  if (current === null || !isDeepStrictEqual({ ...sent, Password: current.Password }, { ...current }))
    return fault(
      'MailServer.Password',
      'must be sent again, because it stays only while all other fields of MailServer stay the same',
    );
  return { value: current, faults: [] };
}

function fault(field: string, message: string) {
  return { value: null, faults: [{ field, message }] };
}

interface ResolvedSettings {
  readonly MailServer?: MailServer | null | undefined;
  readonly MailFrom?: string | null | undefined;
  readonly PrivateWebhooks?: boolean | null | undefined;
}

/** The sent fields that differ from a value of the environment. Pure. */
function fieldsOfOperator(
  environment: EnvironmentSettings,
  current: InstallationSettings,
  resolved: ResolvedSettings,
) {
  const fields = [
    ['MailServer', environment.smtpUrl, resolved.MailServer, current.mailServer],
    ['MailFrom', environment.mailFrom, resolved.MailFrom, current.mailFrom],
    ['PrivateWebhooks', environment.allowPrivateWebhooks, resolved.PrivateWebhooks, current.allowPrivate],
  ] as const;
  return fields.flatMap(([field, byOperator, value, inForce]) =>
    byOperator === undefined || value === undefined || isDeepStrictEqual(value, inForce) ? [] : [field],
  );
}

function fixedConflict(fields: readonly (keyof typeof settingVariables)[]): Refusal {
  const faults = fields.map((field) => ({
    field,
    message: `is set by the environment variable ${settingVariables[field]} of the controllers`,
  }));
  return {
    kind: 'conflict',
    reason: 'fixed_field',
    message: faults.map(({ field, message }) => `${field} ${message}.`).join(' '),
    faults,
  };
}

/**
 * The stored settings after the change. Values of the environment are not stored, nor is a default that is sent back as
 * it was read. Pure.
 */
function layOver(
  environment: EnvironmentSettings,
  stored: StoredSettings,
  resolved: ResolvedSettings,
  { mailFrom, allowPrivate }: InstallationSettings,
): StoredSettings {
  const { MailServer } = resolved;
  const MailFrom = resolved.MailFrom === mailFrom ? undefined : resolved.MailFrom;
  const PrivateWebhooks = resolved.PrivateWebhooks === allowPrivate ? undefined : resolved.PrivateWebhooks;
  return {
    mailServer:
      MailServer === undefined || environment.smtpUrl !== undefined ? stored.mailServer : MailServer,
    mailFrom: MailFrom === undefined || environment.mailFrom !== undefined ? stored.mailFrom : MailFrom,
    privateWebhooks:
      PrivateWebhooks === undefined || environment.allowPrivateWebhooks !== undefined
        ? stored.privateWebhooks
        : PrivateWebhooks,
  };
}

function differences(stored: StoredSettings, next: StoredSettings): string[] {
  const parts = [
    ['MailServer', stored.mailServer, next.mailServer],
    ['MailFrom', stored.mailFrom, next.mailFrom],
    ['PrivateWebhooks', stored.privateWebhooks, next.privateWebhooks],
  ] as const;
  return parts.flatMap(([field, old, value]) => (isDeepStrictEqual(old, value) ? [] : [field]));
}

/** As the audit shows them. */
function shown({ mailServer, mailFrom, privateWebhooks }: StoredSettings) {
  return { MailServer: shownServer(mailServer), MailFrom: mailFrom, PrivateWebhooks: privateWebhooks };
}

/** A mail server with its password masked. */
export function shownServer(server: MailServer | null): MailServer | null {
  return server && { ...server, Password: server.Password === null ? null : mask };
}

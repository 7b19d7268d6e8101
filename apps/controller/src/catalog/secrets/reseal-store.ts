import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/**
 * Devices, secrets and contacts with their sealed values, for a new sealing key. The values stay the same, so no actor
 * changes anything here.
 */
export const sealedRows = {
  /** The next devices of all accounts by number, after `afterNo`. */
  async devices(kysely: Kysely<Tables>, afterNo: number, limit: number) {
    return kysely
      .selectFrom('devices')
      .select(['device_no', 'device_id', 'method', 'url', 'options', 'sealed'])
      .where('device_no', '>', afterNo)
      .orderBy('device_no')
      .limit(limit)
      .execute();
  },

  /** Replaces the sealed value of a device, unless it was changed meanwhile. */
  async replaceDevice(
    kysely: Kysely<Tables>,
    deviceNo: number,
    { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
  ): Promise<void> {
    await kysely
      .updateTable('devices')
      .set({ sealed: to })
      .where('device_no', '=', deviceNo)
      .where('sealed', '=', from)
      .execute();
  },

  /** Replaces the warnings of a device by this one. */
  async warnDevice(kysely: Kysely<Tables>, deviceNo: number, warning: string): Promise<void> {
    await kysely
      .updateTable('devices')
      .set({ warnings: [warning] })
      .where('device_no', '=', deviceNo)
      .execute();
  },

  /** All secrets of all accounts. */
  async secrets(kysely: Kysely<Tables>) {
    return kysely.selectFrom('secrets').select(['secret_id', 'sealed']).orderBy('secret_id').execute();
  },

  /** Replaces the sealed value of a secret, unless it was changed meanwhile. */
  async replaceSecret(
    kysely: Kysely<Tables>,
    secretId: string,
    { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
  ): Promise<void> {
    await kysely
      .updateTable('secrets')
      .set({ sealed: to })
      .where('secret_id', '=', secretId)
      .where('sealed', '=', from)
      .execute();
  },

  /** All contacts of all accounts, and all hooks, which are sealed as webhooks are. */
  async contacts(kysely: Kysely<Tables>) {
    const hooks = kysely
      .selectFrom('hooks')
      .select(['hook_id as contact_id', sql<string>`'webhook'`.as('type'), 'address', 'sealed']);
    return kysely
      .selectFrom('contacts')
      .select(['contact_id', 'type', 'address', 'sealed'])
      .unionAll(hooks)
      .orderBy('contact_id')
      .execute();
  },

  /** Replaces the sealed value of a contact or a hook, unless it was changed meanwhile. */
  async replaceContact(
    kysely: Kysely<Tables>,
    contactId: string,
    { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
  ): Promise<void> {
    await kysely
      .updateTable('contacts')
      .set({ sealed: to })
      .where('contact_id', '=', contactId)
      .where('sealed', '=', from)
      .execute();
    await kysely
      .updateTable('hooks')
      .set({ sealed: to })
      .where('hook_id', '=', contactId)
      .where('sealed', '=', from)
      .execute();
  },

  /** The password of the mail server, if there is one. */
  async mailPasswords(kysely: Kysely<Tables>) {
    return kysely
      .selectFrom('installation_settings')
      .select('mail_password as sealed')
      .where('mail_password', 'is not', null)
      .$narrowType<{ sealed: Uint8Array }>()
      .execute();
  },

  /** Replaces the password of the mail server, unless it was changed meanwhile. */
  async replaceMailPassword(
    kysely: Kysely<Tables>,
    { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
  ): Promise<void> {
    await kysely
      .updateTable('installation_settings')
      .set({ mail_password: to })
      .where('mail_password', '=', from)
      .execute();
  },
} as const;

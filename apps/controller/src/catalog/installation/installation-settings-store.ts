import { mailPasswordContext } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { ChangeTransaction } from '../../resources/change.ts';
import { nothingStored, type StoredSettings } from './installation-settings.ts';
import { storedMailServer } from './mail-server.ts';

/** Reads the stored settings. A mail server whose password cannot be opened is no mail server. */
export async function readInstallationSettings(
  kysely: Kysely<Tables>,
  sealer: Pick<Sealer, 'open'>,
): Promise<StoredSettings & { readonly updatedUs: number | null; readonly isPasswordLost: boolean }> {
  const row = await kysely.selectFrom('installation_settings').selectAll().executeTakeFirst();
  if (row === undefined) return { ...nothingStored, updatedUs: null, isPasswordLost: false };
  const server = storedMailServer.nullable().parse(row.mail_server);
  const password = row.mail_password === null ? null : opened(sealer, row.mail_password);
  const isPasswordLost = password === undefined;
  return {
    mailServer: server === null || isPasswordLost ? null : { ...server, Password: password },
    mailFrom: row.mail_from,
    privateWebhooks: row.private_webhooks,
    updatedUs: row.updated_us,
    isPasswordLost,
  };
}

/** Stores the settings of the installation. */
export async function storeInstallationSettings(
  { trx }: ChangeTransaction,
  sealer: Pick<Sealer, 'seal'>,
  { mailServer, mailFrom, privateWebhooks }: StoredSettings,
  nowUs: number,
): Promise<void> {
  const { Password, ...server } = mailServer ?? { Password: null };
  const values = {
    mail_server: mailServer === null ? null : JSON.stringify(server),
    mail_password: Password === null ? null : sealer.seal(Password, mailPasswordContext),
    mail_from: mailFrom,
    private_webhooks: privateWebhooks,
    updated_us: nowUs,
  };
  await trx
    .insertInto('installation_settings')
    .values(values)
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet(values))
    .execute();
}

function opened(sealer: Pick<Sealer, 'open'>, sealed: Uint8Array): string | undefined {
  try {
    return z.string().parse(sealer.open(sealed, mailPasswordContext));
  } catch {
    return undefined;
  }
}

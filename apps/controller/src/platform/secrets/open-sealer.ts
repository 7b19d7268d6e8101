import { deviceSealContext, secretSealContext } from '@vantage/domain';
import { Fault, type Logger } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';
import { makeSecretKeys, readSecretKeys } from './key-file.ts';
import { reseal, type SealedAuthorities, type SealedRows } from './reseal.ts';
import { createSealer, type Sealer } from './seal.ts';

const context = 'seal-check';
const content = 'the key of this database';

/** The parts of the sealer. */
export interface SealerDeps {
  readonly kysely: Kysely<Tables>;
  readonly sealedRows: SealedRows & SealedAuthorities;
  /** The key file. */
  readonly file: string;
  /** The operator gives up what the file's keys cannot open. */
  readonly keyLost: boolean;
  readonly log: Logger;
}

/**
 * The sealer of a migrated database. Throws a Fault when the key file is missing though the database has sealed values,
 * or does not hold the key that sealed them: a controller with another key would find no device that it could send to
 * its agents. When the file's first key is a new one, everything is sealed anew by it.
 */
export async function openSealer({ kysely, sealedRows, file, keyLost, log }: SealerDeps): Promise<Sealer> {
  // In this order: who starts at the same moment on an empty database makes the file first and marks the database then.
  const used = await isUsed(kysely);
  const known = await readSecretKeys(file);
  if (known === undefined && used && !keyLost) throw refusal(`the key file ${file} is missing`);
  const [key, ...older] = known ?? (await makeSecretKeys(file));
  const sealer = createSealer(key, older);
  const wrong = refusal(`the key file ${file} does not hold the key that sealed this database`);
  const fits = await doesFit(kysely, sealer);
  if (!fits && !keyLost) throw wrong;
  if (fits && keyLost) log.warn('VANTAGE_SECRET_KEY_LOST is set though the key fits: take the setting away');
  const check = await readCheck(kysely);
  if (!used) {
    await keepCheck(kysely, sealer);
    // Another controller may have been first on the empty database, with a key of its own.
    if (!(await doesFit(kysely, sealer))) throw wrong;
    return sealer;
  }
  if (fits && check !== undefined && sealer.isCurrent(check)) return sealer;
  const done = await reseal(kysely, sealer, sealedRows);
  await kysely.deleteFrom('sealing_key_proof').execute();
  await keepCheck(kysely, sealer);
  log.info(done, 'everything is sealed by the first key of the key file now; older keys can go');
  if (done.lost > 0)
    log.warn(
      { lost: done.lost },
      'devices, secrets, contacts and certificate authorities lost their values with the key: give them new ones',
    );
  return sealer;
}

/** `other`: it holds another key than the one that sealed the database. */
export type KeyFileState = 'good' | 'missing' | 'unreadable' | 'other';

/** Looks at the key file as the next start of a controller will. Rejects when the database does not answer. */
export async function examineKeyFile({
  kysely,
  file,
}: Pick<SealerDeps, 'kysely' | 'file'>): Promise<KeyFileState> {
  const keys = await readSecretKeys(file).catch(() => 'unreadable' as const);
  if (keys === undefined) return 'missing';
  if (keys === 'unreadable') return keys;
  const [key, ...older] = keys;
  return (await doesFit(kysely, createSealer(key, older))) ? 'good' : 'other';
}

function refusal(what: string): Fault {
  return new Fault(
    'stop',
    'secret_key',
    `${what} (VANTAGE_SECRET_KEY_FILE): put that file back; all controllers of a database share one. If it is lost for good, start once with VANTAGE_SECRET_KEY_LOST=yes: devices without secrets go on, the others need theirs again (docs/secrets.md)`,
  );
}

/** Whether anything was ever sealed here. */
async function isUsed(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select from sealing_key_proof) or exists (select from devices) or exists (select from secrets)
      or exists (select from contacts) as used`.execute(kysely);
  return rows[0]?.used === true;
}

async function readCheck(kysely: Kysely<Tables>): Promise<Uint8Array | undefined> {
  const row = await kysely.selectFrom('sealing_key_proof').select('sealed').executeTakeFirst();
  return row?.sealed;
}

/** Keeps a check value of the current key unless there is one. */
async function keepCheck(kysely: Kysely<Tables>, sealer: Sealer): Promise<void> {
  await kysely
    .insertInto('sealing_key_proof')
    .values({ sealed: sealer.seal(content, context) })
    .onConflict((conflict) => conflict.column('single').doNothing())
    .execute();
}

/** The check value decides; in a database from before there was one, the newest devices and secrets do. */
async function doesFit(kysely: Kysely<Tables>, sealer: Sealer): Promise<boolean> {
  const check = await readCheck(kysely);
  if (check !== undefined) return opens(sealer, check, context);
  const { rows } = await sql<{ sealed: Uint8Array; device_id: string | null; secret_id: string | null }>`
    (select sealed, device_id, null as secret_id from devices order by device_no desc limit 20)
    union all (select sealed, null, secret_id from secrets order by updated_at desc limit 20)`.execute(
    kysely,
  );
  return rows.every((row) =>
    opens(
      sealer,
      row.sealed,
      row.device_id === null ? secretSealContext(row.secret_id ?? '') : deviceSealContext(row.device_id),
    ),
  );
}

function opens(sealer: Sealer, sealed: Uint8Array, where: string): boolean {
  try {
    sealer.open(sealed, where);
    return true;
  } catch {
    return false;
  }
}

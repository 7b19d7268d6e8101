import { deviceSealContext, secretSealContext } from '@vantage/domain';
import { Fault, type Logger } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { makeSecretKeys, readSecretKeys } from './key-file.ts';
import { reseal, type SealedAuthorities, type SealedRows } from './reseal.ts';
import { createSealer, type Sealer } from './seal.ts';

const context = 'seal-check';
const content = 'the key of this database';

export interface SealerDeps {
  readonly kysely: Kysely<Tables>;
  readonly sealedRows: SealedRows & SealedAuthorities;
  /** The key file. */
  readonly file: string;
  /** The operator gives up the values that the file's keys cannot open. */
  readonly keyLost: boolean;
  readonly log: Logger;
}

/**
 * The sealer of a migrated database. Throws a Fault when the key file is missing although the database has sealed
 * values, or does not contain the key that sealed them: a controller with another key could send no device to its
 * agents. When the first key of the file is new, everything is sealed again with it.
 */
export async function openSealer({ kysely, sealedRows, file, keyLost, log }: SealerDeps): Promise<Sealer> {
  // In this order, because a concurrent start on an empty database creates the file before it uses the database.
  const used = await isUsed(kysely);
  const known = await readSecretKeys(file);
  if (known === undefined && used && !keyLost) throw refusal(`the key file ${file} is missing`);
  const [key, ...older] = known ?? (await makeSecretKeys(file));
  const sealer = createSealer(key, older);
  const wrong = refusal(`the key file ${file} does not hold the key that sealed this database`);
  const fits = await doesFit(kysely, sealer);
  if (!fits && !keyLost) throw wrong;
  if (fits && keyLost) log.warn('VANTAGE_SECRET_KEY_LOST is set although the key fits: remove the setting');
  const proof = await readProof(kysely);
  if (!used) {
    await storeProof(kysely, sealer);
    // A concurrent start on the empty database may have stored the proof of another key.
    if (!(await doesFit(kysely, sealer))) throw wrong;
    return sealer;
  }
  if (fits && proof !== undefined && sealer.isCurrent(proof)) return sealer;
  const done = await reseal(kysely, sealer, sealedRows);
  await kysely.deleteFrom('sealing_key_proof').execute();
  await storeProof(kysely, sealer);
  log.info(done, 'everything is now sealed with the first key of the key file; older keys can be removed');
  if (done.lost > 0)
    log.warn(
      { lost: done.lost },
      'devices, secrets, contacts and certificate authorities lost their values with the key: give them new ones',
    );
  return sealer;
}

/** `other`: its keys did not seal the database. */
export type KeyFileState = 'good' | 'missing' | 'unreadable' | 'other';

/** Examines the key file for the next start of a controller. Rejects when the database does not answer. */
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
    `${what} (VANTAGE_SECRET_KEY_FILE): put that file back; all controllers of a database share one. If it is lost for good, start once with VANTAGE_SECRET_KEY_LOST=yes: devices without secrets continue, the others need their secrets again (docs/secrets.md)`,
  );
}

/** Whether the database ever had sealed values. */
async function isUsed(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select from sealing_key_proof) or exists (select from devices) or exists (select from secrets)
      or exists (select from contacts) as used`.execute(kysely);
  return rows[0]?.used === true;
}

async function readProof(kysely: Kysely<Tables>): Promise<Uint8Array | undefined> {
  const row = await kysely.selectFrom('sealing_key_proof').select('sealed').executeTakeFirst();
  return row?.sealed;
}

/** Stores a value that the current key sealed, unless there is one. */
async function storeProof(kysely: Kysely<Tables>, sealer: Sealer): Promise<void> {
  await kysely
    .insertInto('sealing_key_proof')
    .values({ sealed: sealer.seal(content, context) })
    .onConflict((conflict) => conflict.column('single').doNothing())
    .execute();
}

/** Decides by the proof. Older databases have none, so there the newest devices and secrets decide. */
async function doesFit(kysely: Kysely<Tables>, sealer: Sealer): Promise<boolean> {
  const proof = await readProof(kysely);
  if (proof !== undefined) return opens(sealer, proof, context);
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

function opens(sealer: Sealer, sealed: Uint8Array, sealContext: string): boolean {
  try {
    sealer.open(sealed, sealContext);
    return true;
  } catch {
    return false;
  }
}

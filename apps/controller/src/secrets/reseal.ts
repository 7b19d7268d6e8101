import { deviceSealContext, secretSealContext } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../db/index.ts';
import type { Sealer } from './seal.ts';

/** What became of the sealed values. */
export interface Resealed {
  readonly devices: number;
  readonly secrets: number;
  /** Devices and secrets that no key of the file opens. */
  readonly lost: number;
}

const atOnce = 200;
/** Tells the device's users; the next change of the device takes it away. */
const lostWarning =
  'Its secrets were lost with the key that sealed them: send URL and Options again, with the secrets.';

/**
 * Seals every device and secret by the current key. A device that no key opens is sealed anew from what the API shows of it, if that
 * hides nothing; else it stays as it is, with a warning, until somebody sends its secrets again. What somebody changes meanwhile is left
 * alone: it is sealed by the current key then.
 */
export async function reseal(kysely: Kysely<Tables>, sealer: Sealer): Promise<Resealed> {
  const devices = await resealDevices(kysely, sealer);
  const secrets = await resealSecrets(kysely, sealer);
  return { devices: devices.done, secrets: secrets.done, lost: devices.lost + secrets.lost };
}

async function resealDevices(
  kysely: Kysely<Tables>,
  sealer: Sealer,
): Promise<{ done: number; lost: number }> {
  const tally = { done: 0, lost: 0 };
  let after = 0;
  while (true) {
    const { rows } = await sql<{
      device_no: number;
      device_id: string;
      method: string;
      url: string;
      options: unknown;
      sealed: Uint8Array;
    }>`select device_no, device_id, method, url, options, sealed from devices where device_no > ${after}
      order by device_no limit ${atOnce}`.execute(kysely);
    if (rows.length === 0) return tally;
    for (const row of rows) {
      after = row.device_no;
      const context = deviceSealContext(row.device_id);
      const shown = { url: row.url, options: row.options };
      const hides = row.method !== 'Script' && JSON.stringify(shown).includes('***');
      const clear = opened(sealer, row.sealed, context);
      if (clear !== undefined && sealer.isCurrent(row.sealed)) continue;
      const value = clear ?? (hides ? undefined : shown);
      if (value === undefined) {
        tally.lost += 1;
        await sql`update devices set warnings = array[${lostWarning}] where device_no = ${row.device_no}`.execute(
          kysely,
        );
        continue;
      }
      tally.done += 1;
      await sql`update devices set sealed = ${sealer.seal(json.parse(value), context)}
        where device_no = ${row.device_no} and sealed = ${row.sealed}`.execute(kysely);
    }
  }
}

async function resealSecrets(
  kysely: Kysely<Tables>,
  sealer: Sealer,
): Promise<{ done: number; lost: number }> {
  const tally = { done: 0, lost: 0 };
  const { rows } = await sql<{ secret_id: string; sealed: Uint8Array }>`
    select secret_id, sealed from secrets order by secret_id`.execute(kysely);
  for (const row of rows) {
    const context = secretSealContext(row.secret_id);
    const value = opened(sealer, row.sealed, context);
    if (value === undefined) tally.lost += 1;
    if (value === undefined || sealer.isCurrent(row.sealed)) continue;
    tally.done += 1;
    await sql`update secrets set sealed = ${sealer.seal(json.parse(value), context)}
      where secret_id = ${row.secret_id} and sealed = ${row.sealed}`.execute(kysely);
  }
  return tally;
}

const json = z.json();

function opened(sealer: Sealer, sealed: Uint8Array, context: string): unknown {
  try {
    return sealer.open(sealed, context);
  } catch {
    return undefined;
  }
}

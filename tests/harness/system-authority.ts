import path from 'node:path';
import { systemClock as clock, createLog } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { readSecretKeys } from '@vantage/storage/secrets/key-file';
import { createSealer } from '@vantage/storage/secrets/seal';
import type { Kysely } from 'kysely';
import { openAuthorities } from '../../apps/controller/src/agents/enrol/authorities.ts';
import type { SigningAuthority } from '../../apps/controller/src/server/authority.ts';

/** The authority with which the controllers of this database sign certificates; `keyFile` is their secret key. */
export async function systemAuthority(kysely: Kysely<Tables>, keyFile: string): Promise<SigningAuthority> {
  const keys = await readSecretKeys(keyFile);
  if (keys === undefined) throw new Error('the system has no key');
  const [key, ...older] = keys;
  const { signing } = await openAuthorities({
    kysely,
    sealer: createSealer(key, older),
    clock,
    log: createLog('authority', 'silent'),
    dir: path.dirname(keyFile),
  });
  return signing;
}

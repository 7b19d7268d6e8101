import { createHash, X509Certificate } from 'node:crypto';
import path from 'node:path';
import { authoritySealContext } from '@vantage/domain';
import { type Clock, type Logger, readIfPresent } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { SigningAuthority } from '../../server/authority.ts';
import type { Authorities } from '../../server/server-certificate.ts';
import { type AuthorityTimes, chooseSigning, needsAuthority } from './choose-authority.ts';

const sealedKeys = z.object({ key: z.string(), serverKey: z.string() });

/** A stored authority; `keys` is undefined when the sealing key that sealed them is lost. */
interface Known extends AuthorityTimes {
  readonly certificate: string;
  readonly keys: z.output<typeof sealedKeys> | undefined;
}

interface Deps {
  readonly kysely: Kysely<Tables>;
  readonly sealer: Sealer;
  /** Folder with `ca.pem`, the copy of the certificates for clients. */
  readonly dir: string;
  readonly clock: Pick<Clock, 'nowUs'>;
  readonly log: Logger;
}

/**
 * The authorities of this database. The first controller creates one. A controller creates the next one half a year
 * before the last one ends.
 */
export async function openAuthorities(deps: Deps): Promise<Authorities> {
  const { kysely, sealer, dir, clock, log } = deps;
  const nowMs = clock.nowUs() / 1000;
  const all = await kysely.transaction().execute(async (trx) => {
    await lockAuthorities(trx);
    const known = (await readAuthorities(trx)).map((row) => openRow(row, sealer));
    if (!needsAuthority(known, nowMs)) return known;
    const { makeAuthority } = await import('../../server/authority.ts');
    const fresh = knownOf(await makeAuthority(nowMs));
    log.info(
      { validTo: new X509Certificate(fresh.certificate).validTo },
      'a new certificate authority was created',
    );
    await store(trx, sealer, fresh);
    return [...known, fresh];
  });
  const present = firstCertificate(await readIfPresent(path.join(dir, 'ca.pem')).catch(() => undefined));
  const signing = chooseSigning(all, { nowMs, isPreferred: ({ certificate }) => certificate === present });
  if (signing?.keys === undefined) throw new Error('no certificate authority can sign');
  const others = all.filter((one) => one !== signing && one.toMs > nowMs);
  return {
    signing: { cert: signing.certificate, ...signing.keys },
    trusted: [signing, ...others].map(({ certificate }) => certificate),
  };
}

function knownOf({ cert, key, serverKey }: SigningAuthority): Known {
  return { certificate: cert, keys: { key, serverKey }, ...timesOf(cert), canSign: true };
}

function openRow({ certificate, sealed }: AuthorityRow, sealer: Sealer): Known {
  let keys: Known['keys'];
  try {
    keys = sealedKeys.parse(sealer.open(sealed, contextOf(certificate)));
  } catch {
    // The sealing key is lost. The authority signs no more, and certificates that it signed are good until it ends.
  }
  return { certificate, keys, ...timesOf(certificate), canSign: keys !== undefined };
}

async function store(trx: Kysely<Tables>, sealer: Sealer, { certificate, keys }: Known): Promise<void> {
  if (keys === undefined) return;
  await addAuthority(trx, { certificate, sealed: sealer.seal({ ...keys }, contextOf(certificate)) });
}

function timesOf(certificate: string): { readonly fromMs: number; readonly toMs: number } {
  const { validFrom, validTo } = new X509Certificate(certificate);
  return { fromMs: Date.parse(validFrom), toMs: Date.parse(validTo) };
}

/** The first certificate of a PEM text, as this program writes it. */
function firstCertificate(text: string | undefined): string | undefined {
  const first = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text ?? '')?.[0];
  return first === undefined ? undefined : `${first}\n`;
}

/** A stored authority. */
interface AuthorityRow {
  readonly certificate: string;
  readonly sealed: Uint8Array;
}

/** Keeps other controllers from adding an authority until the transaction ends. */
async function lockAuthorities(trx: Kysely<Tables>): Promise<void> {
  await sql`lock table authorities in share row exclusive mode`.execute(trx);
}

/** All authorities, the oldest first. */
export async function readAuthorities(kysely: Kysely<Tables>): Promise<readonly AuthorityRow[]> {
  return kysely.selectFrom('authorities').select(['certificate', 'sealed']).orderBy('authority_no').execute();
}

/** Stores an authority; does nothing when it is stored already. */
async function addAuthority(trx: Kysely<Tables>, { certificate, sealed }: AuthorityRow): Promise<void> {
  const not_after_us = Date.parse(new X509Certificate(certificate).validTo) * 1000;
  await trx
    .insertInto('authorities')
    .values({ certificate, sealed, not_after_us })
    .onConflict((conflict) => conflict.column('certificate').doNothing())
    .execute();
}

/** Authorities with their sealed keys, for a new sealing key. */
export const sealedAuthorities = {
  /** All authorities, each with the context in which its keys open. */
  async authorities(kysely: Kysely<Tables>) {
    const rows = await readAuthorities(kysely);
    return rows.map(({ certificate, sealed }) => ({ certificate, sealed, context: contextOf(certificate) }));
  },

  /** Replaces the sealed keys of an authority, unless another controller did so meanwhile. */
  async replaceAuthority(
    kysely: Kysely<Tables>,
    certificate: string,
    { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
  ): Promise<void> {
    await kysely
      .updateTable('authorities')
      .set({ sealed: to })
      .where('certificate', '=', certificate)
      .where('sealed', '=', from)
      .execute();
  },
} as const;

/** The context in which the keys of the authority with this certificate (PEM) are sealed. */
function contextOf(certificate: string): string {
  return authoritySealContext(
    createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex'),
  );
}

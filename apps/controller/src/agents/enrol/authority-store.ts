import { createHash, X509Certificate } from 'node:crypto';
import { authoritySealContext } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';

/** A stored authority. */
export interface AuthorityRow {
  readonly certificate: string;
  readonly sealed: Uint8Array;
}

/** The context in which the keys of the authority with this certificate (PEM) are sealed. */
export function contextOf(certificate: string): string {
  return authoritySealContext(
    createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex'),
  );
}

/** Keeps other controllers from adding an authority until the transaction ends. */
export async function lockAuthorities(trx: Kysely<Tables>): Promise<void> {
  await sql`lock table authorities in share row exclusive mode`.execute(trx);
}

/** All authorities, the oldest first. */
export async function readAuthorities(kysely: Kysely<Tables>): Promise<readonly AuthorityRow[]> {
  return kysely.selectFrom('authorities').select(['certificate', 'sealed']).orderBy('authority_no').execute();
}

/** Stores an authority; does nothing when it is stored already. */
export async function addAuthority(
  trx: Kysely<Tables>,
  { certificate, sealed }: AuthorityRow,
): Promise<void> {
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

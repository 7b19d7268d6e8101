import { X509Certificate } from 'node:crypto';
import path from 'node:path';
import { type Clock, type Logger, readIfPresent } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../platform/db/index.ts';
import type { Sealer } from '../../platform/secrets/seal.ts';
import { type Authority, makeAuthority } from '../../platform/server/authority.ts';
import type { Authorities } from '../../platform/server/tls.ts';
import {
  type AuthorityRow,
  addAuthority,
  contextOf,
  lockAuthorities,
  readAuthorities,
} from './authority-store.ts';
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
 * The authorities of this database. The first controller makes one. A new one is made half a year before the last one
 * ends.
 */
export async function openAuthorities(deps: Deps): Promise<Authorities> {
  const { kysely, sealer, dir, clock, log } = deps;
  const nowMs = clock.nowUs() / 1000;
  const all = await kysely.transaction().execute(async (trx) => {
    await lockAuthorities(trx);
    const known = (await readAuthorities(trx)).map((row) => openRow(row, sealer));
    if (!needsAuthority(known, nowMs)) return known;
    const fresh = knownOf(await makeAuthority(nowMs));
    log.info(
      { validTo: new X509Certificate(fresh.certificate).validTo },
      'a new certificate authority is made',
    );
    await store(trx, sealer, fresh);
    return [...known, fresh];
  });
  const own = firstCertificate(await readIfPresent(path.join(dir, 'ca.pem')).catch(() => undefined));
  const signing = chooseSigning(all, { nowMs, isPreferred: ({ certificate }) => certificate === own });
  if (signing?.keys === undefined) throw new Error('no certificate authority can sign');
  const others = all.filter((one) => one !== signing && one.toMs > nowMs);
  return {
    signing: { cert: signing.certificate, ...signing.keys },
    trusted: [signing, ...others].map(({ certificate }) => certificate),
  };
}

function knownOf({ cert, key, serverKey }: Authority): Known {
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

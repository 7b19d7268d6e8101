import { X509Certificate } from 'node:crypto';
import path from 'node:path';
import { dayMs } from '@vantage/domain';
import { type Clock, Fault, type Logger, readIfPresent } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../db/index.ts';
import type { Sealer } from '../secrets/seal.ts';
import { type Authority, makeAuthority, makeServerKey } from '../server/authority.ts';
import { type Authorities, readPair } from '../server/tls.ts';
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
  /** Folder with the files `ca.pem` and `ca.key` of earlier versions, and the copy of the certificates for clients. */
  readonly dir: string;
  readonly clock: Pick<Clock, 'nowUs'>;
  readonly log: Logger;
}

/**
 * The authorities of this database. The first controller makes one, or stores the one that its folder holds from an
 * earlier version. A new one is made half a year before the last one ends. Throws a Fault when the folder's authority
 * is damaged or over and the database has none.
 */
export async function openAuthorities(deps: Deps): Promise<Authorities> {
  const { kysely, sealer, dir, clock, log } = deps;
  const nowMs = clock.nowUs() / 1000;
  const all = await kysely.transaction().execute(async (trx) => {
    await lockAuthorities(trx);
    const before = (await readAuthorities(trx)).map((row) => openRow(row, sealer));
    const added = await ownOfFolder(deps, before, nowMs);
    const known = added === undefined ? before : [...before, added];
    if (added !== undefined) await store(trx, sealer, added);
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

/** The authority of the folder, when the database does not have it yet. */
async function ownOfFolder(
  { dir, log }: Deps,
  known: readonly Known[],
  nowMs: number,
): Promise<Known | undefined> {
  const [certFile, keyFile] = [path.join(dir, 'ca.pem'), path.join(dir, 'ca.key')];
  const { pair, isDamaged } = await readPair(certFile, keyFile);
  const isFirst = known.length === 0;
  if (isFirst && isDamaged)
    throw new Fault(
      'stop',
      'ca_damaged',
      `${certFile} and ${keyFile} do not belong together: put the right ones back, or move both away to start with a new CA (agents and clients must then get the new ca.pem)`,
    );
  if (pair === undefined) return undefined;
  const certificate = firstCertificate(pair.cert);
  if (certificate === undefined || known.some((one) => one.certificate === certificate)) return undefined;
  const found = knownOf({ cert: certificate, key: pair.key, serverKey: await makeServerKey() });
  if (found.toMs - nowMs < dayMs) {
    if (!isFirst) return undefined;
    const { validTo } = new X509Certificate(certificate);
    throw new Fault(
      'stop',
      'ca_over',
      `${certFile} is valid until ${validTo} only: set this machine's clock if it is wrong, or move the folder ${dir} away to start with a new CA (agents and clients must then get the new ca.pem)`,
    );
  }
  log.info({ file: certFile }, 'the certificate authority of this folder is stored in the database');
  return found;
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

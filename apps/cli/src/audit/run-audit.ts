import { appendFileSync, readFileSync } from 'node:fs';
import {
  type AuditEntry,
  chainLine,
  emptyChain,
  followChain,
  settledEntries,
} from '@vantage/domain/audit-chain';
import { Fault, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';
import { type ApiConnection, connect } from '../remote/api-connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';

const page = z.array(z.object({ audit_id: z.string(), Timestamp: z.string() }).catchall(z.json()));
/** The API's largest page. */
const pageSize = 100;
/** All entries of an export are in memory, because the API lists the newest first. */
const maxEntries = 200_000;
/** The age of an entry before it is exported: a transaction that began earlier may still add an entry before it. */
const settleMs = 60_000;

/** The file of an export, with the number of its entries and the hash of its last line. */
export interface AuditFile {
  readonly file: string;
  readonly added: number;
  readonly entries: number;
  readonly hash: string;
}

/**
 * Verifies `file` and appends new audit entries, oldest first. Each is a line of JSON, and hashes chain the lines. A
 * new file begins at `since` (a timestamp of the API).
 */
export async function runAuditExport({
  access,
  file,
  since,
}: {
  readonly access: ControllerAccess;
  readonly file: string;
  readonly since: string | undefined;
}): Promise<AuditFile> {
  const before = endOf(file, readIfPresentSync(file) ?? '');
  using connection = connect(access);
  const found = await entriesAfter(connection, before.auditId, since);
  if (found === undefined)
    throw new Fault(
      'stop',
      'other_audit',
      `the audit has no entry ${before.auditId}, the last entry of ${file}: the file belongs to another account or key, or the database was restored; export into a new file`,
    );
  let end = before;
  const lines = found.map((entry) => {
    const link = chainLine(end, entry);
    end = link.end;
    return link.line;
  });
  if (lines.length > 0) appendFileSync(file, lines.join(''), { mode: 0o600, flush: true });
  return { file, added: lines.length, entries: end.lines, hash: end.hash };
}

/** Verifies a file of an export. Throws a Fault with the first line that does not match. */
export function verifyAudit(file: string): AuditFile {
  const { lines, hash } = endOf(file, readFileSync(file, 'utf8'));
  return { file, added: 0, entries: lines, hash };
}

function endOf(file: string, text: string) {
  const followed = text === '' ? { ok: true as const, end: emptyChain } : followChain(text);
  if (!followed.ok) throw new Fault('stop', 'broken_chain', `${file}: ${followed.fault}`);
  return followed.end;
}

/** The settled entries after the entry with this id, oldest first; undefined: there is no such entry. */
async function entriesAfter(
  connection: ApiConnection,
  auditId: string | undefined,
  since: string | undefined,
): Promise<readonly AuditEntry[] | undefined> {
  const found: z.infer<typeof page> = [];
  const from = since === undefined || auditId !== undefined ? {} : { Timestamp1: since };
  let untilMs = Number.POSITIVE_INFINITY;
  for (let before: string | undefined; ; ) {
    const query = { ...from, Limit: String(pageSize), ...(before === undefined ? {} : { Before: before }) };
    const answer = await connection.call({ method: 'GET', path: '/audit', query });
    // By the controller's clock, or ours if the header Date is missing.
    if (before === undefined)
      untilMs = (Date.parse(answer.headers.get('date') ?? '') || Date.now()) - settleMs;
    const rows = page.parse(await answer.json());
    for (const row of rows) {
      if (row.audit_id === auditId) return settledEntries(found, untilMs).reverse();
      found.push(row);
    }
    if (found.length > maxEntries)
      throw new Fault(
        'stop',
        'too_many',
        `there are more than ${maxEntries} new entries; start a new file with --since, or export more often`,
      );
    if (rows.length < pageSize)
      return auditId === undefined ? settledEntries(found, untilMs).reverse() : undefined;
    before = rows.at(-1)?.audit_id;
  }
}

import { appendFileSync, readFileSync } from 'node:fs';
import { chainLine, type Entry, emptyChain, followChain, settledEntries } from '@vantage/domain/audit-chain';
import { Fault, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';
import { type Connection, connect } from '../remote/connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';

const page = z.array(z.object({ audit_id: z.string(), Timestamp: z.string() }).catchall(z.json()));
/** Rows of a page, as many as the API gives. */
const pageRows = 100;
/** Entries of one export: they are in memory until all are there, because the API shows the newest first. */
const mostEntries = 200_000;
/** An entry is exported this long after its change: one that began earlier may still become an entry before it. */
const settleMs = 60_000;

/** The outcome of an export, or of a verification: the entries of the file, and the hash of its last line. */
export interface AuditFile {
  readonly file: string;
  readonly added: number;
  readonly entries: number;
  readonly hash: string;
}

/**
 * Appends the entries of the audit to `file` that it does not have yet, oldest first, one line of JSON each, chained by
 * their hashes. Verifies the file first. `since` (a timestamp of the API) is where a new file begins.
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
      `the audit has no entry ${before.auditId}, with which ${file} ends: the file is of another account or key, or the database was restored; export into a new file`,
    );
  let end = before;
  const lines = found.map((entry) => {
    const made = chainLine(end, entry);
    end = made.end;
    return made.line;
  });
  if (lines.length > 0) appendFileSync(file, lines.join(''), { mode: 0o600, flush: true });
  return { file, added: lines.length, entries: end.lines, hash: end.hash };
}

/** Verifies a file of an export; throws a Fault that names the first line that does not fit. */
export function verifyAudit(file: string): AuditFile {
  const { lines, hash } = endOf(file, readFileSync(file, 'utf8'));
  return { file, added: 0, entries: lines, hash };
}

function endOf(file: string, text: string) {
  const followed = text === '' ? { ok: true as const, end: emptyChain } : followChain(text);
  if (!followed.ok) throw new Fault('stop', 'broken_chain', `${file}: ${followed.fault}`);
  return followed.end;
}

/** The settled entries after the one with this id, oldest first; undefined: there is no such entry. */
async function entriesAfter(
  connection: Connection,
  auditId: string | undefined,
  since: string | undefined,
): Promise<readonly Entry[] | undefined> {
  const found: z.infer<typeof page> = [];
  const from = since === undefined || auditId !== undefined ? {} : { Timestamp1: since };
  let untilMs = Number.POSITIVE_INFINITY;
  for (let before: string | undefined; ; ) {
    const query = { ...from, Limit: String(pageRows), ...(before === undefined ? {} : { Before: before }) };
    const answer = await connection.call({ method: 'GET', path: '/audit', query });
    // The controller's clock counts; without its header ours does.
    if (before === undefined)
      untilMs = (Date.parse(answer.headers.get('date') ?? '') || Date.now()) - settleMs;
    const rows = page.parse(await answer.json());
    for (const row of rows) {
      if (row.audit_id === auditId) return settledEntries(found, untilMs).reverse();
      found.push(row);
    }
    if (found.length > mostEntries)
      throw new Fault(
        'stop',
        'too_many',
        `there are more than ${mostEntries} new entries; begin a new file with --since, or export more often`,
      );
    if (rows.length < pageRows)
      return auditId === undefined ? settledEntries(found, untilMs).reverse() : undefined;
    before = rows.at(-1)?.audit_id;
  }
}

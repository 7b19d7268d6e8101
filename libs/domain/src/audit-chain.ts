import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Json, parseJson } from './json.ts';

/** The end of a chain of lines, which the next line continues. */
export interface ChainEnd {
  readonly hash: string;
  /** The id of the last entry; undefined: the chain is empty. */
  readonly auditId: string | undefined;
  readonly lines: number;
}

export const emptyChain: ChainEnd = { hash: '0'.repeat(64), auditId: undefined, lines: 0 };

/** An entry of the audit log, as the API serves it. */
export type AuditEntry = { readonly audit_id: string } & { readonly [field: string]: Json };

const hashMember = /^(\{.*),"Hash":"([0-9a-f]{64})"\}$/s;
const entrySchema = z.looseObject({ audit_id: z.string() });

/**
 * The line of an entry: its JSON with `Hash` as the last member. `Hash` is the SHA-256 of the previous hash (64 zeros
 * for the first line), a line feed, and the line without `Hash`. So no line can be changed, removed or inserted without
 * changing the hashes of all later lines.
 */
export function chainLine(
  before: ChainEnd,
  entry: AuditEntry,
): { readonly line: string; readonly end: ChainEnd } {
  const text = JSON.stringify(entry);
  const hash = hashOf(before.hash, text);
  const end = { hash, auditId: entry.audit_id, lines: before.lines + 1 };
  return { line: `${text.slice(0, -1)},"Hash":"${hash}"}\n`, end };
}

/** Verifies the lines of a file from its start; `fault` is a sentence about the first line that does not fit. */
export function followChain(
  text: string,
): { readonly ok: true; readonly end: ChainEnd } | { readonly ok: false; readonly fault: string } {
  let end = emptyChain;
  if (text !== '' && !text.endsWith('\n')) return { ok: false, fault: 'its last line is cut off' };
  for (const line of text.split('\n').slice(0, -1)) {
    const at = `line ${end.lines + 1}`;
    const [, head, hash] = hashMember.exec(line) ?? [];
    if (head === undefined || hash === undefined)
      return { ok: false, fault: `${at} is no entry with a Hash` };
    if (hashOf(end.hash, `${head}}`) !== hash)
      return {
        ok: false,
        fault: `${at} does not continue the lines before it: it, or one before it, was changed`,
      };
    const entry = entrySchema.safeParse(parseJson(`${head}}`));
    if (!entry.success) return { ok: false, fault: `${at} is no entry of an audit` };
    end = { hash, auditId: entry.data.audit_id, lines: end.lines + 1 };
  }
  return { ok: true, end };
}

/**
 * The entries, newest first, that may be written to a file. An earlier entry may still be committed before an entry
 * that is too new, so that entry and all newer ones wait, whatever their times are. The file thus has no gap.
 */
export function settledEntries<T extends { readonly Timestamp: string }>(
  entries: readonly T[],
  untilMs: number,
): T[] {
  return entries.slice(entries.findLastIndex(({ Timestamp }) => Date.parse(Timestamp) >= untilMs) + 1);
}

function hashOf(before: string, text: string): string {
  return createHash('sha256').update(`${before}\n${text}`).digest('hex');
}

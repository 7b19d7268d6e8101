import { toJsonString } from '@bufbuild/protobuf';
import type { Span } from '@vantage/domain';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { readJsonObject } from '../db/index.ts';
import { type ParsedDiagnostics, type ParsedRecord, type ParsedResult, parseRecord } from './record.ts';

/** A record in its wire form and parsed. The wire form is needed when the record is quarantined. */
export interface Item {
  readonly wire: OutboxRecord;
  readonly parsed: ParsedRecord;
}

/** A batch's records by kind. */
export interface Sorted {
  readonly results: readonly { readonly item: Item; readonly result: ParsedResult }[];
  readonly coverage: readonly Span[];
  readonly gaps: readonly (Span & { gapId: string; droppedResults: number; reason: string })[];
  readonly clocks: readonly { atUs: number; offsetUs: number; roundTripUs: number }[];
  readonly diagnostics: readonly { readonly item: Item; readonly diagnostics: ParsedDiagnostics }[];
  readonly malformed: readonly { readonly item: Item; readonly reason: string }[];
}

/** Reads the records of a batch. */
export function readItems(records: readonly OutboxRecord[]): Item[] {
  return records.map((wire) => ({ wire, parsed: parseRecord(wire) }));
}

/** Sorts items by kind. Each kind keeps the order of the batch. */
export function sortItems(items: readonly Item[]): Sorted {
  return {
    results: items.flatMap((item) =>
      item.parsed.kind === 'result' ? [{ item, result: item.parsed.result }] : [],
    ),
    coverage: items.flatMap(({ parsed }) => (parsed.kind === 'coverage' ? [parsed.span] : [])),
    gaps: items.flatMap(({ parsed }) => (parsed.kind === 'gap' ? [parsed.gap] : [])),
    clocks: items.flatMap(({ parsed }) => (parsed.kind === 'clock' ? [parsed.clock] : [])),
    diagnostics: items.flatMap((item) =>
      item.parsed.kind === 'diagnostics' ? [{ item, diagnostics: item.parsed.diagnostics }] : [],
    ),
    malformed: items.flatMap((item) =>
      item.parsed.kind === 'malformed' ? [{ item, reason: item.parsed.reason }] : [],
    ),
  };
}

const longestKept = 64 * 1024;

/** The record as JSON text that fits its column. For a record that JSON cannot hold, or that is very long, the text has only its kind. Never throws. */
export function describe(item: Item): string {
  return (
    readJsonObject(jsonOf(item.wire), longestKept) ??
    JSON.stringify({ case: item.wire.record.case ?? null, left_out: true })
  );
}

/** The record as JSON text; empty when it has a number that JSON cannot hold. */
function jsonOf(wire: OutboxRecord): string {
  try {
    return toJsonString(OutboxRecordSchema, wire);
  } catch {
    return '';
  }
}

import { toJsonString } from '@bufbuild/protobuf';
import type { Span } from '@vantage/domain';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { readJsonObject } from '@vantage/storage';
import {
  type ParsedDiagnostics,
  type ParsedNotice,
  type ParsedRecord,
  type ParsedResult,
  parseRecord,
} from './parse-record.ts';

/** A record in its wire form and parsed. The wire form is needed when the record is quarantined. */
export interface Item {
  readonly wire: OutboxRecord;
  readonly parsed: ParsedRecord;
  /** Its number in the quarantine, where it comes from there. */
  readonly quarantinedNo?: number;
}

/** A batch's records by kind. */
export interface Sorted {
  readonly results: readonly { readonly item: Item; readonly result: ParsedResult }[];
  readonly coverage: readonly Span[];
  readonly gaps: readonly (Span & { gapId: string; droppedResults: number; reason: string })[];
  readonly clocks: readonly { atUs: number; offsetUs: number; roundTripUs: number }[];
  readonly diagnostics: readonly { readonly item: Item; readonly diagnostics: ParsedDiagnostics }[];
  readonly notices: readonly ParsedNotice[];
  readonly malformed: readonly { readonly item: Item; readonly reason: string }[];
}

/** Reads the records of a batch. */
export function readItems(records: readonly OutboxRecord[]): Item[] {
  return records.map((wire) => ({ wire, parsed: parseRecord(wire) }));
}

/** Sorts items by kind. Each kind keeps the order of the batch. */
export function sortItems(items: readonly Item[]): Sorted {
  const sorted: { [K in keyof Sorted]: Sorted[K][number][] } = {
    results: [],
    coverage: [],
    gaps: [],
    clocks: [],
    diagnostics: [],
    notices: [],
    malformed: [],
  };
  for (const item of items) {
    const { parsed } = item;
    switch (parsed.kind) {
      case 'result':
        sorted.results.push({ item, result: parsed.result });
        break;
      case 'coverage':
        sorted.coverage.push(parsed.span);
        break;
      case 'gap':
        sorted.gaps.push(parsed.gap);
        break;
      case 'clock':
        sorted.clocks.push(parsed.clock);
        break;
      case 'diagnostics':
        sorted.diagnostics.push({ item, diagnostics: parsed.diagnostics });
        break;
      case 'notice':
        sorted.notices.push(parsed.notice);
        break;
      case 'malformed':
        sorted.malformed.push({ item, reason: parsed.reason });
        break;
    }
  }
  return sorted;
}

const maxKeptLength = 64 * 1024;

/**
 * The record as JSON text that fits its column. For a record that JSON cannot hold, or that is very long, the text has
 * only its kind. Never throws.
 */
export function describe(item: Item): string {
  return (
    readJsonObject(jsonOf(item.wire), maxKeptLength) ??
    JSON.stringify({ case: item.wire.record.case ?? null, left_out: true })
  );
}

/** Whether `describe` keeps all of the record. */
export function isWhole(item: Item): boolean {
  return readJsonObject(jsonOf(item.wire), maxKeptLength) !== undefined;
}

/** The record as JSON text; empty when it has a number that JSON cannot hold. */
function jsonOf(wire: OutboxRecord): string {
  try {
    return toJsonString(OutboxRecordSchema, wire);
  } catch {
    return '';
  }
}

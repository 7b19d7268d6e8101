import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { newId, systemClock } from '@vantage/kernel';
import { CheckResultSchema, type GapRecord, type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { afterAll } from 'vitest';
import { type Outbox, openOutbox } from '../outbox/outbox.ts';
import type { OutboxDeps } from '../outbox/outbox-files.ts';
import type { OutboxItem } from '../outbox/outbox-state.ts';
import type { EncodedRecord } from '../outbox/segment.ts';

/** Returns a function that names a new folder at each call. All folders are removed after the tests of the file. */
export function useOutboxFolders(): () => string {
  const root = mkdtempSync(path.join(tmpdir(), 'vantage-outbox-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  let folders = 0;
  return () => path.join(root, String(folders++));
}

/** The file of the only segment of an outbox. */
export function onlySegment(folder: string): string {
  return path.join(folder, readdirSync(folder).find((name) => name.endsWith('.seg')) ?? '');
}

/**
 * Opens an outbox in a folder, with the agent's own bound, without listeners and with nothing kept after its ack;
 * `more` overrides.
 */
export function openTestOutbox(
  folder: string,
  more: Partial<Omit<OutboxDeps, 'folder'>> = {},
): Promise<Outbox> {
  return openOutbox({
    folder,
    maxBytes: 256 * 1024 * 1024,
    clock: systemClock,
    nowMs: () => Date.now(),
    newId,
    onFault: () => {},
    retainMs: 0,
    ...more,
  });
}

/** A result of device 1 that started then, `bytes` long beside its few fields. */
export function resultRecord(startUs: number, bytes = 0): OutboxRecord {
  const value = create(CheckResultSchema, {
    deviceNo: 1,
    startUs: BigInt(startUs),
    extendedJson: 'x'.repeat(bytes),
  });
  return create(OutboxRecordSchema, { record: { case: 'result', value } });
}

/** The starts of the results among these items. */
export function startsOf(taken: readonly OutboxItem[]): number[] {
  return recordsOf(taken).flatMap((record) =>
    record.case === 'result' ? [Number(record.value.startUs)] : [],
  );
}

/** The gap records among these items. */
export function gapsOf(taken: readonly OutboxItem[]): GapRecord[] {
  return recordsOf(taken).flatMap((record) => (record.case === 'gap' ? [record.value] : []));
}

function recordsOf(taken: readonly OutboxItem[]): readonly OutboxRecord['record'][] {
  return taken.map(({ payload }) => fromBinary(OutboxRecordSchema, payload).record);
}

/** A record with its bytes, as it is offered to the outbox's state. */
export function encoded(record: OutboxRecord): EncodedRecord {
  return { record, payload: toBinary(OutboxRecordSchema, record) };
}

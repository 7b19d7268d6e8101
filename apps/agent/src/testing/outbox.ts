import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { newId, systemClock } from '@vantage/kernel';
import { CheckResultSchema, type GapRecord, type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { type Outbox, openOutbox } from '../outbox/outbox.ts';
import type { OutboxItem } from '../outbox/outbox-state.ts';
import type { EncodedRecord } from '../outbox/segment.ts';

type Deps = Parameters<typeof openOutbox>[0];

/**
 * Opens an outbox in a folder, with the agent's own bound, without listeners and with nothing kept after its ack;
 * `more` overrides.
 */
export function openTestOutbox(folder: string, more: Partial<Omit<Deps, 'folder'>> = {}): Promise<Outbox> {
  return openOutbox({
    folder,
    maxBytes: 256 * 1024 * 1024,
    clock: systemClock,
    nowMs: () => Date.now(),
    newId,
    onFault: () => {},
    keepMs: 0,
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

import { create } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { type Batch, BatchSchema } from '@vantage/proto';
import type { OutboxItem } from '../outbox/outbox-state.ts';

/** A batch is cut at this size. A longer record is sent alone. */
export const batchBytes = 1024 * 1024;

export interface OutgoingBatch {
  readonly batchId: bigint;
  readonly items: readonly OutboxItem[];
}

/**
 * The batch with these encoded records. protobuf-es writes unknown fields unchanged: number, wire type and, for this
 * type, the length before the bytes.
 */
export function batchOf({ batchId, items }: OutgoingBatch): Batch {
  const batch = create(BatchSchema, { batchId });
  const { number: no } = BatchSchema.field.records;
  batch.$unknown = items.map(({ payload }) => ({
    no,
    wireType: WireType.LengthDelimited,
    data: withLength(payload),
  }));
  return batch;
}

/** Bytes after their length, a varint (Protocol Buffers, "Encoding": base 128, least significant group first). */
function withLength(bytes: Uint8Array): Uint8Array {
  const prefix: number[] = [];
  for (let rest = bytes.length; prefix.length === 0 || rest > 0; rest = Math.floor(rest / 128))
    prefix.push(rest >= 128 ? (rest % 128) + 128 : rest);
  const whole = Buffer.allocUnsafe(prefix.length + bytes.length);
  whole.set(prefix, 0);
  whole.set(bytes, prefix.length);
  return whole;
}

/** Splits the records into the next batch, at most `max`, and the rest. */
export function cutBatch(
  items: readonly OutboxItem[],
  max: number,
): readonly [readonly OutboxItem[], readonly OutboxItem[]] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += item.payload.length;
    return index >= max || (index > 0 && bytes > batchBytes);
  });
  return end < 0 ? [items, []] : [items.slice(0, end), items.slice(end)];
}

import { create, type DescMessage, toBinary } from '@bufbuild/protobuf';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { BatchSchema, ConnectRequestSchema } from '@vantage/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DecodedSize, messageFields, shapeOf } from './message-shape.ts';

/** The same with a reader of its own for each nested message: slow, and each message ends where its bytes end. */
function plainShapeOf(message: Uint8Array): DecodedSize {
  let records = 0;
  let fields = 0;
  const walk = (bytes: Uint8Array, schema: DescMessage) => {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len && fields <= messageFields) {
      const [fieldNo, wireType] = reader.tag();
      fields += 1;
      const inner = schema.fields.find(({ number }) => number === fieldNo)?.message;
      if (inner === undefined || wireType !== WireType.LengthDelimited) {
        reader.skip(wireType, fieldNo);
        continue;
      }
      if (inner === BatchSchema.field.records.message) records += 1;
      walk(reader.bytes(), inner);
    }
  };
  walk(message, ConnectRequestSchema);
  return { records, fields };
}

const outcomeOf = (read: typeof shapeOf, message: Uint8Array) => {
  try {
    return read(message);
  } catch {
    return 'refused';
  }
};

const result = fc.record({
  deviceNo: fc.nat(),
  startUs: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  checkResult: fc.string(),
  connectMs: fc.double(),
  slow: fc.boolean(),
});
const record = fc.oneof(
  result.map((value) => ({ record: { case: 'result' as const, value } })),
  fc.nat().map((us) => ({ record: { case: 'clock' as const, value: { atUs: BigInt(us) } } })),
  fc.constant({}),
);
const batch = fc
  .array(record, { maxLength: 5 })
  .map((records) => create(ConnectRequestSchema, { message: { case: 'batch', value: { records } } }))
  .map((request) => toBinary(ConnectRequestSchema, request));
/** Fields of each wire type under small numbers, known and unknown ones, groups too. */
const field = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.constantFrom(0, 1, 2, 3, 4, 5), fc.uint8Array({ maxLength: 12 }))
  .map(([no, wireType, bytes]) => {
    const writer = new BinaryWriter().tag(no, wireType);
    return wireType === WireType.LengthDelimited ? writer.bytes(bytes).finish() : writer.raw(bytes).finish();
  });
const message = fc.oneof(
  batch,
  fc.uint8Array({ maxLength: 40 }),
  fc.array(fc.oneof(batch, field), { maxLength: 4 }).map((parts) => new Uint8Array(Buffer.concat(parts))),
);

test('property: any bytes have the shape that readers of each nested message count, or are refused by both', () => {
  const change = fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 255 }));
  fc.assert(
    fc.property(message, fc.array(change, { maxLength: 3 }), fc.nat({ max: 400 }), (bytes, changes, kept) => {
      const changed = Uint8Array.from(bytes);
      for (const [at, byte] of changes) if (at < changed.length) changed[at] = byte;
      for (const one of [bytes, changed, changed.subarray(0, kept)])
        expect(outcomeOf(shapeOf, one)).toEqual(outcomeOf(plainShapeOf, one));
    }),
    { numRuns: 2_000 },
  );
});

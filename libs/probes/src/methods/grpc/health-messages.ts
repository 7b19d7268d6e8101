import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

// The messages of grpc.health.v1.Health (github.com/grpc/grpc, doc/health-checking.md), each in a frame of gRPC.

/** The statuses of a service, by their numbers. */
export const servingStatuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;
export type ServingStatus = (typeof servingStatuses)[number];

const headBytes = 5;
const statusField = 1;

/** The request for the health of a service; '' is the whole server. */
export function healthRequest(service: string): Buffer {
  const message = service === '' ? Buffer.alloc(0) : new BinaryWriter().uint32(10).string(service).finish();
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Reads the status in the body of an answer; undefined if it is malformed. Pure. */
export function readHealth(body: Buffer): ServingStatus | undefined {
  const isPlain = body.length >= headBytes && body[0] === 0;
  if (!isPlain || body.readUInt32BE(1) !== body.length - headBytes) return undefined;
  try {
    const reader = new BinaryReader(body.subarray(headBytes));
    let status = 0;
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === statusField && type === WireType.Varint) status = reader.int32();
      else reader.skip(type, field);
    }
    return servingStatuses[status];
  } catch {
    return undefined;
  }
}

/** The names of gRPC's status codes. */
const statusNames: readonly string[] = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** The name of a status code of gRPC; undefined for a text that is none. */
export function grpcStatusName(code: string): string | undefined {
  return /^\d{1,2}$/.test(code) ? statusNames[Number(code)] : undefined;
}

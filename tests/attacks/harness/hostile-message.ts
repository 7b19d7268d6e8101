import { create, type DescField, type DescMessage, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import {
  malformedDoubles,
  malformedInt64s,
  malformedTexts,
  malformedUint32s,
  malformedUint64s,
} from '@vantage/kernel/testing';

/** Random numbers in [0, 1), the same for the same seed. */
export type Random = () => number;

/** Numbers and texts that exist in the controller, so that a message passes the first checks. */
export interface Live {
  readonly deviceNos: readonly number[];
  readonly nowUs: () => number;
  readonly texts: readonly string[];
  /** Values of fields in which no other value passes, by the field's name in code. */
  readonly named: ReadonlyMap<string, bigint>;
  /** The share of values that exist in the controller, 0 to 1. */
  readonly share: number;
}

/** A generator of 32 bits (mulberry32): small, fast, and the same on every machine. */
export function seeded(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Chooses one of the values. */
export function pick<T>(random: Random, from: readonly [T, ...T[]]): T {
  return from[Math.floor(random() * from.length)] ?? from[0];
}

/** A text of this length is rare, because it costs more to send than all other values. */
const veryLong = 300_000;
const everyVeryLong = 1 / 4_000;

/**
 * A message of any type with values that no agent sends, in every field of the type. The fields come from the
 * descriptor, so a new field is filled too. Some of the values exist in the controller (`live`), so that some messages
 * pass the first checks.
 */
export function hostileMessage<D extends DescMessage>(
  schema: D,
  random: Random,
  live: Live,
): MessageShape<D> {
  const made = create(schema);
  const target = reflect(schema, made, false);
  for (const member of schema.members) {
    if (member.kind === 'oneof') fill(target, pickField(random, member.fields), random, live);
    else if (random() < 0.9) fill(target, member, random, live);
  }
  return made;
}

function pickField(random: Random, fields: readonly DescField[]): DescField | undefined {
  return fields[Math.floor(random() * fields.length)];
}

function fill(target: ReflectMessage, field: DescField | undefined, random: Random, live: Live): void {
  switch (field?.fieldKind) {
    case 'scalar':
      target.set(field, namedValue(field.localName, random, live) ?? scalar(field.scalar, random, live));
      return;
    case 'enum':
      // An enum is an int32 on the wire.
      target.set(field, pick(random, malformedUint32s) | 0);
      return;
    case 'message':
      target.set(field, reflect(field.message, hostileMessage(field.message, random, live), false));
      return;
    case 'list':
    case 'map':
    case undefined:
      return; // callers that make batches fill lists of records; there are no maps
  }
}

function namedValue(name: string, random: Random, { named, share }: Live): bigint | undefined {
  const value = named.get(name);
  return value !== undefined && random() < share ? value : undefined;
}

function scalar(type: ScalarType, random: Random, live: Live): unknown {
  const isLive = random() < live.share;
  switch (type) {
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return isLive ? random() * 10 : pick(random, malformedDoubles);
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return isLive
        ? BigInt(live.nowUs() - Math.floor(random() * 60_000_000))
        : pick(random, malformedInt64s);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return pick(random, malformedUint64s);
    case ScalarType.BOOL:
      return random() < 0.5;
    case ScalarType.STRING:
      return textOf(random, live, isLive);
    case ScalarType.BYTES:
      return new Uint8Array(Math.floor(random() * 1_000));
    default:
      return isLive ? liveNumber(random, live) : pick(random, malformedUint32s);
  }
}

function textOf(random: Random, live: Live, isLive: boolean): string {
  if (random() < everyVeryLong) return 'L'.repeat(veryLong);
  return isLive ? (live.texts[Math.floor(random() * live.texts.length)] ?? '') : pick(random, malformedTexts);
}

/** A device's number, or one that can be a ResultCode, an attempt, a revision or a count. */
function liveNumber(random: Random, live: Live): number {
  if (random() < 0.5) return 1 + Math.floor(random() * 10);
  return live.deviceNos[Math.floor(random() * live.deviceNos.length)] ?? 1;
}

/** Packed bytes are damaged, or of a later version. */
export class PackedBytesError extends Error {
  override readonly name = 'PackedBytesError';
}

/** Reads bytes in order. Every method throws a PackedBytesError when the bytes end too early. */
export interface ByteReader {
  byte(): number;
  /** An integer from 0 to `max`; a larger one throws a PackedBytesError. */
  size(max: number): number;
  bytes(length: number): Uint8Array;
  /** Throws a PackedBytesError when bytes are left. */
  end(): void;
}

export function createByteReader(source: Uint8Array): ByteReader {
  let at = 0;
  const bytes = (length: number) => {
    if (at + length > source.length) throw new PackedBytesError('the bytes end too early');
    at += length;
    return source.subarray(at - length, at);
  };
  const byte = () => bytes(1)[0] ?? 0;
  return {
    byte,
    bytes,
    size(max) {
      let value = 0;
      for (let factor = 1; factor < 2 ** 49; factor *= 128) {
        const next = byte();
        value += (next % 128) * factor;
        if (next < 128) {
          if (value > max) throw new PackedBytesError(`a size of ${value} exceeds the limit of ${max}`);
          return value;
        }
      }
      throw new PackedBytesError('a size is too long');
    },
    end() {
      if (at !== source.length) throw new PackedBytesError(`${source.length - at} bytes are left`);
    },
  };
}

/** A non-negative integer as groups of 7 bits, the lowest first (LEB128), for `ByteReader.size`. */
export function sizeBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}

/** The two clocks as the addon read them together, nanoseconds. `offsetNs` is wall clock minus monotonic clock. */
export interface Clocks {
  readonly monoNs: number;
  readonly offsetNs: number;
}

/** One packet in the shared buffer. `data` is a view that the next read overwrites. */
export interface PacketSlot {
  /** Time in the kernel's queue, nanoseconds; NaN if the kernel gave no timestamp. */
  readonly queuedNs: number;
  /** The full length, even if `data` has only the start of the packet. */
  readonly length: number;
  /**
   * The packet came from the error queue: `type`, `code` and `errno` are set, and `data` is the packet that was sent.
   */
  readonly fromErrorQueue: boolean;
  readonly ttl: number | undefined;
  readonly errno: number;
  readonly type: number;
  readonly code: number;
  /** The MTU that the error names; 0: none. */
  readonly mtu: number;
  /** The sender, or the router that sent the error; '' is this host itself. */
  readonly from: string;
  readonly data: Buffer;
}

// Mirrors struct shared and struct slot of native/kernel.h.
const headerBytes = 16;

const slotBytes = 280;
const fromOffset = 36;
const fromBytes = 48;
const dataOffset = 84;
const dataBytes = 192;

/** The maximum number of packets per read. */
export const batchSize = 64;

/** Reads the clocks at the start of the shared buffer. */
export function readClocks(buffer: ArrayBuffer): Clocks {
  const view = new DataView(buffer);
  return { monoNs: view.getFloat64(0, true), offsetNs: view.getFloat64(8, true) };
}

/** Reads slot `index` of the shared buffer. */
export function readSlot(buffer: ArrayBuffer, index: number): PacketSlot {
  const at = headerBytes + index * slotBytes;
  const view = new DataView(buffer, at, slotBytes);
  const text = Buffer.from(buffer, at + fromOffset, fromBytes);
  const length = view.getUint32(8, true);
  const ttl = view.getInt32(16, true);
  return {
    queuedNs: view.getFloat64(0, true),
    length,
    fromErrorQueue: view.getUint32(12, true) === 1,
    ttl: ttl < 0 ? undefined : ttl,
    errno: view.getInt32(20, true),
    type: view.getUint32(24, true),
    code: view.getUint32(28, true),
    mtu: view.getUint32(32, true),
    from: text.toString('latin1', 0, text.indexOf(0)),
    data: Buffer.from(buffer, at + dataOffset, Math.min(length, dataBytes)),
  };
}

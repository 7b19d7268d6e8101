import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@vantage/kernel';

/** An open socket of the addon; only its methods can read it. */
type AddonHandle = object;

/** Kinds of socket, as native/kernel.h numbers them. */
export const addonKind = { raw: 0, datagram: 1, udp: 2, tcp: 3 } as const;

/** The addon's methods; native/icmp.c describes each. Wrong handles throw, network errors are errno numbers. */
export interface Addon {
  /** `vantage-icmp-source:` and the hash of its sources. */
  readonly source: string;
  open(kind: number, v6: boolean, onReady: () => void): { handle: AddonHandle; buffer: ArrayBuffer };
  send(handle: AddonHandle, packet: Uint8Array, address: string, port: number, ttl: number): number;
  read(handle: AddonHandle, errorQueue: boolean): number;
  socketError(handle: AddonHandle): number;
  /**
   * `[rttUs, rttvarUs, sentAgain]` of a TCP socket by its descriptor; undefined where the kernel has no such figures.
   * An addon of an earlier build lacks the method.
   */
  tcpFigures?(fd: number): readonly [number, number, number] | undefined;
  holdOpen(handle: AddonHandle, yes: boolean): void;
  close(handle: AddonHandle): void;
}

/** Where the built file lies for this machine, whether or not there is one. */
export function addonPath(platform: string = process.platform, arch: string = process.arch): string {
  return fileURLToPath(new URL(`../prebuilt/${platform}-${arch}/icmp.node`, import.meta.url));
}

let loaded: Addon | undefined;

/** Loads the built addon, once for a process; the error names the reason why this system has none. */
export function loadAddon(): Addon | { readonly error: string } {
  if (loaded !== undefined) return loaded;
  const name = `${process.platform}-${process.arch}`;
  if (process.platform !== 'linux') return { error: `there is no ICMP addon for ${name}` };
  try {
    const addon: Addon = createRequire(import.meta.url)(addonPath());
    loaded = addon;
    return addon;
  } catch (error) {
    return { error: `the ICMP addon for ${name} does not load: ${messageOf(error).split('\n')[0]}` };
  }
}

/** The two clocks as the addon read them together, nanoseconds; `offsetNs` is wall clock minus monotonic clock. */
export interface Clocks {
  readonly monoNs: number;
  readonly offsetNs: number;
}

/** One packet out of the shared buffer. `data` is a view that the next read overwrites. */
export interface Slot {
  /** Waited in the kernel's queue, nanoseconds; NaN where the kernel gave no stamp. */
  readonly queuedNs: number;
  /** Real length, also when `data` holds only its beginning. */
  readonly length: number;
  /** Came from the error queue: `type`, `code` and `errno` are set, `data` is what had been sent. */
  readonly fromErrorQueue: boolean;
  readonly ttl: number | undefined;
  readonly errno: number;
  readonly type: number;
  readonly code: number;
  /** Sender, or the router that sent the error; '' is this machine itself. */
  readonly from: string;
  readonly data: Buffer;
}

// Mirrors struct shared and struct slot of native/kernel.h.
const headerBytes = 16;
const slotBytes = 272;
const fromOffset = 32;
const fromBytes = 48;
const dataOffset = 80;
/** Packets one read takes at most. */
export const batchSize = 64;

/** Reads the clocks at the head of the shared buffer. */
export function readClocks(buffer: ArrayBuffer): Clocks {
  const view = new DataView(buffer);
  return { monoNs: view.getFloat64(0, true), offsetNs: view.getFloat64(8, true) };
}

/** Reads slot `index` of the shared buffer. */
export function readSlot(buffer: ArrayBuffer, index: number): Slot {
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
    from: text.toString('latin1', 0, text.indexOf(0)),
    data: Buffer.from(buffer, at + dataOffset, Math.min(length, slotBytes - dataOffset)),
  };
}

/** The clocks at both ends of a ping and how long its answer waited in the socket. */
interface RoundTrip {
  readonly sent: Clocks;
  readonly read: Clocks;
  /** From the kernel's stamp to the read, by the wall clock, nanoseconds; NaN without a stamp. */
  readonly queuedNs: number;
}

/** Time servers slew a clock by 500 millionths at most; this much change between send and read is not a step. */
const slewPerNs = 0.0005;
/** Beside it: what reading two clocks one after the other may differ by when the process loses its core in between. */
const readingErrorNs = 50_000;

/**
 * Round-trip time in milliseconds. Monotonic from send to read, less the time in the socket's queue, which the kernel's
 * stamp gives by the wall clock. Somebody may set that clock meanwhile: then the two clocks' offset has changed, the
 * stamp says nothing, and the time to the read itself counts (too long by the event loop's delay, never by the step).
 */
export function roundTripMs({ sent, read, queuedNs }: RoundTrip): number {
  const untilReadNs = Math.max(0, read.monoNs - sent.monoNs);
  const drift = Math.abs(read.offsetNs - sent.offsetNs);
  const stepped = drift > readingErrorNs + untilReadNs * slewPerNs;
  const plausible = queuedNs >= 0 && queuedNs <= untilReadNs;
  return (stepped || !plausible ? untilReadNs : untilReadNs - queuedNs) / 1e6;
}

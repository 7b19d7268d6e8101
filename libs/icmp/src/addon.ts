import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@vantage/kernel';

/** An open socket of the addon; only its methods can read it. */
type AddonHandle = object;

/** Kinds of sockets; native/kernel.h has the same numbers. */
export const addonKind = { raw: 0, datagram: 1, udp: 2, tcp: 3 } as const;

/**
 * The addon's methods; native/icmp.c describes them. A wrong handle throws. Network errors are returned as errno
 * numbers.
 */
export interface Addon {
  /** `vantage-icmp-source:` and the hash of the sources. */
  readonly source: string;
  open(kind: number, v6: boolean, onReady: () => void): { handle: AddonHandle; buffer: ArrayBuffer };
  send(
    handle: AddonHandle,
    packet: Uint8Array,
    address: string,
    port: number,
    ttl: number,
    /** The TOS byte or traffic class; -1: the system's own. */
    traffic?: number,
    /** '': the system chooses. */
    source?: string,
    dontFragment?: boolean,
  ): number;
  read(handle: AddonHandle, errorQueue: boolean): number;
  socketError(handle: AddonHandle): number;
  /**
   * `[rttUs, rttvarUs, sentAgain]` of a TCP socket by its descriptor; undefined if the kernel has no such figures. An
   * older build of the addon lacks the method.
   */
  tcpFigures?(fd: number): readonly [number, number, number] | undefined;
  /**
   * A TCP socket, not connected, whose packets have this TOS byte or traffic class; its descriptor. An older build
   * lacks the method, and the last three parameters of `send`.
   */
  openTcp?(v6: boolean, traffic: number): number;
  holdOpen(handle: AddonHandle, yes: boolean): void;
  close(handle: AddonHandle): void;
}

/** The path of the built file for this machine; the file may be missing. */
export function addonPath(platform: string = process.platform, arch: string = process.arch): string {
  return fileURLToPath(new URL(`../prebuilt/${platform}-${arch}/icmp.node`, import.meta.url));
}

let loaded: Addon | undefined;

/** Loads the built addon once per process. The error names the reason why this system has none. */
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

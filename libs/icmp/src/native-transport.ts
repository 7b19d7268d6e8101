import { getSystemErrorName } from 'node:util';
import { messageOf } from '@vantage/kernel';
import { type Addon, addonKind } from './addon.ts';
import { batchSize, type PacketSlot, readClocks, readSlot } from './addon-buffer.ts';
import { type Arrival, hasMarks, type OpenTransport, type SendingOptions } from './icmp-socket.ts';
import { decode, decodeRequest, type Family, type IncomingPacket } from './packet.ts';

/** The addon's socket as a transport. Receive times are the kernel's. */
export function nativeTransport(addon: Addon, family: Family, kind: 'raw' | 'datagram'): OpenTransport {
  return (onArrival) => {
    const withIpHeader = family === 4 && kind === 'raw';
    let closed = false;
    const opened = open();
    if ('error' in opened) return opened;
    const { handle, buffer } = opened;

    function open() {
      try {
        return addon.open(addonKind[kind], family === 6, () => void drain());
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
        return { error: messageOf(error), code };
      }
    }

    function readAll(errorQueue: boolean): void {
      while (!closed) {
        const count = addon.read(handle, errorQueue);
        const read = readClocks(buffer);
        for (let index = 0; index < count; index += 1) {
          const slot = readSlot(buffer, index);
          const incoming = incomingOf(slot);
          if (incoming) onArrival(arrivalOf(slot, incoming, read));
        }
        if (count < batchSize) return;
      }
    }

    function incomingOf(slot: PacketSlot): IncomingPacket | undefined {
      if (!slot.fromErrorQueue) return decode(family, slot.data, withIpHeader);
      const request = decodeRequest(family, slot.data);
      return request && { kind: 'error', type: slot.type, code: slot.code, mtu: slot.mtu, ...request };
    }

    function drain(): boolean {
      readAll(false);
      if (kind === 'datagram') readAll(true);
      return true;
    }

    return {
      send: (packet, address, options) => {
        const { ttl = 0 } = options;
        if (hasMarks(options) && addon.openTcp === undefined) return { ok: false, code: 'ENOTSUP' };
        const errno = hasMarks(options)
          ? addon.send(handle, packet, address, 0, ttl, ...marksOf(options))
          : addon.send(handle, packet, address, 0, ttl);
        if (errno !== 0) return { ok: false, code: getSystemErrorName(-errno) };
        const clocks = readClocks(buffer);
        return { ok: true, sentAt: () => clocks };
      },
      drain,
      keepAlive: (yes) => addon.holdOpen(handle, yes),
      close: () => {
        closed = true;
        addon.close(handle);
      },
    };
  };
}

function marksOf({
  dscp,
  source = '',
  dontFragment = false,
}: SendingOptions): [traffic: number, source: string, dontFragment: boolean] {
  return [dscp === undefined ? -1 : dscp << 2, source, dontFragment];
}

function arrivalOf(slot: PacketSlot, incoming: IncomingPacket, read: Arrival['read']): Arrival {
  const { from, ttl, length, queuedNs } = slot;
  return { incoming, from, ttl, length, read, queuedNs };
}

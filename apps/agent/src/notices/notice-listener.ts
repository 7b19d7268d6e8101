import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { type Clock, type Logger, messageOf, normalAddress } from '@vantage/kernel';
import { specMask } from '@vantage/probes';
import { type Assignment, type NoticeRecord, NoticeRecord_Kind, NoticeRecordSchema } from '@vantage/proto';
import type { AgentPolicy } from '../policy/agent-policy.ts';
import type { ListenAddress } from '../policy/policy-schema.ts';
import type { DeviceAddresses } from './device-addresses.ts';
import { createNoticeLimiter } from './notice-limiter.ts';
import { readSyslog, severityNames } from './read-syslog.ts';
import { readTrap } from './read-trap.ts';

/** The notices of a process by what became of them. */
export interface NoticeTotals {
  /** Kept as an event. */
  kept: number;
  /** Over a limit of its address, or of all. */
  dropped: number;
  /** Its address is that of no device. */
  unknown: number;
  /** A line of syslog that the policy does not choose. */
  unmatched: number;
  malformed: number;
}

interface NoticeDeps {
  readonly policy: Pick<AgentPolicy, 'traps' | 'syslog'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly addresses: Pick<DeviceAddresses, 'devicesAt'>;
  /** The corrected time, microseconds. */
  readonly nowUs: () => number;
  readonly checkNow: (deviceNo: number) => void;
  readonly append: (record: NoticeRecord) => void;
  /** The value of a secret of this host. */
  readonly localSecret: (name: string) => string | undefined;
}

/** Larger datagrams are no traps. */
const maxBytes = 8_192;
/** The characters of an event's text. */
const maxText = 500;

/** Receives traps and syslog where the policy says so. A port that cannot be opened is logged; checks continue. */
export async function listenForNotices(
  deps: NoticeDeps,
): Promise<AsyncDisposable & { readonly totals: NoticeTotals; readonly ports: readonly number[] }> {
  const { policy, log } = deps;
  const totals: NoticeTotals = { kept: 0, dropped: 0, unknown: 0, unmatched: 0, malformed: 0 };
  const receive = createReceiver(deps, totals);
  const sockets: Socket[] = [];
  const open = async (name: string, at: ListenAddress, onMessage: OnMessage) => {
    try {
      sockets.push(await bind(at, onMessage));
      log.info({ address: at.address, port: at.port }, `listening for ${name}`);
    } catch (error) {
      log.error(
        { address: at.address, port: at.port, error: messageOf(error) },
        `${name} is not received: its port cannot be opened`,
      );
    }
  };
  if (policy.traps !== undefined) await open('traps', policy.traps.Listen, receive.trap);
  if (policy.syslog !== undefined) await open('syslog', policy.syslog.Listen, receive.syslog);
  return {
    totals,
    ports: sockets.map((socket) => socket.address().port),
    async [Symbol.asyncDispose]() {
      await Promise.all(sockets.map((socket) => new Promise<void>((done) => socket.close(() => done()))));
    },
  };
}

type OnMessage = (bytes: Buffer, address: string, answer: (bytes: Buffer) => void) => void;

async function bind({ address, port }: ListenAddress, onMessage: OnMessage): Promise<Socket> {
  // IPv6 sockets receive IPv4 too, where the host has IPv6.
  const host = address === '' ? '::' : address;
  try {
    return await bindTo(host, port, onMessage);
  } catch (error) {
    const isWithoutIpv6 = error instanceof Error && 'code' in error && error.code === 'EAFNOSUPPORT';
    if (address !== '' || !isWithoutIpv6) throw error;
    return bindTo('0.0.0.0', port, onMessage);
  }
}

async function bindTo(host: string, port: number, onMessage: OnMessage): Promise<Socket> {
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' });
  socket.on('message', (bytes, from) =>
    onMessage(bytes, normalAddress(from.address), (answer) => socket.send(answer, from.port, from.address)),
  );
  socket.bind(port, host);
  await once(socket, 'listening');
  // An answer that cannot be sent is an error of the socket; the sender asks again.
  socket.on('error', () => {});
  return socket;
}

/*
 *   a datagram                                          | what happens
 *   not readable                                        | counted
 *   a line of syslog that the policy does not choose    | counted
 *   from an address of no device of this agent          | counted
 *   over the limit of its address or of all             | counted; the next one that is kept has the number
 *   otherwise                                           | event Trap of the devices at the address; each is checked now,
 *                                                       | unless it was because of one less than 10 s ago
 */
function createReceiver(
  deps: NoticeDeps,
  totals: NoticeTotals,
): { readonly trap: OnMessage; readonly syslog: OnMessage } {
  const { policy, clock, log, addresses, nowUs, checkNow, append, localSecret } = deps;
  const limiter = createNoticeLimiter(clock.monoMs());
  const unknown = createUnknownLog(log, clock);
  const keep = (kind: NoticeRecord_Kind, text: string, address: string): boolean => {
    const devices = addresses.devicesAt(address);
    if (devices.length === 0) {
      totals.unknown += 1;
      unknown(address);
      return false;
    }
    const { isKept, dropped } = limiter.admit(address, clock.monoMs());
    if (!isKept) {
      totals.dropped += 1;
      return true;
    }
    totals.kept += 1;
    for (const device of devices) {
      append(recordOf(device, { kind, text: withDropped(masked(device, text), dropped), atUs: nowUs() }));
      if (limiter.mayCheck(device.deviceNo, clock.monoMs())) checkNow(device.deviceNo);
    }
    return true;
  };
  const masked = ({ spec }: Assignment, text: string) =>
    shortened(spec === undefined ? text : specMask(spec, localSecret)(text));
  return {
    trap(bytes, address, answer) {
      const read = bytes.length > maxBytes ? undefined : readTrap(bytes);
      if (read === undefined) totals.malformed += 1;
      // Only known devices get an answer, so that a forged sender cannot use this host against another.
      else if (keep(NoticeRecord_Kind.TRAP, read.text, address) && read.answer !== undefined)
        answer(read.answer);
    },
    syslog(bytes, address) {
      const line = readSyslog(bytes);
      if (line === undefined) totals.malformed += 1;
      else if (!isChosen(line, policy.syslog)) totals.unmatched += 1;
      else keep(NoticeRecord_Kind.SYSLOG, `${severityNames[line.severity]}: ${line.text}`, address);
    },
  };
}

function isChosen(
  { severity, text }: { readonly severity: number; readonly text: string },
  chosen: AgentPolicy['syslog'],
): boolean {
  if (chosen === undefined) return false;
  const lower = text.toLowerCase();
  return severity <= chosen.MaxSeverity || chosen.Contains.some((part) => lower.includes(part.toLowerCase()));
}

function recordOf(
  { deviceNo, deviceCreatedUs }: Assignment,
  { kind, text, atUs }: { readonly kind: NoticeRecord_Kind; readonly text: string; readonly atUs: number },
): NoticeRecord {
  return create(NoticeRecordSchema, {
    deviceNo,
    deviceCreatedUs,
    kind,
    text,
    atUs: BigInt(Math.round(atUs)),
  });
}

function withDropped(text: string, dropped: number): string {
  return dropped === 0 ? text : `${text} (${dropped} more from this address were dropped before)`;
}

/** One line of bounded length, without characters that change a terminal or the direction of text. */
function shortened(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > maxText ? `${line.slice(0, maxText - 1).toWellFormed()}…` : line.toWellFormed();
}

const unknownEveryMs = 60 * 60_000;

/** Logs an unknown address once an hour, so that a forgotten device can be found. */
function createUnknownLog(log: Logger, clock: Clock): (address: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (address) => {
    if (clock.monoMs() - lastMs < unknownEveryMs) return;
    lastMs = clock.monoMs();
    log.warn({ address }, 'a trap or a line of syslog came from an address of no device of this agent');
  };
}

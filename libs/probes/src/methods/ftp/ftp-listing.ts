import { addAbortSignal } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { resultCode } from '@vantage/domain';
import type { Connection, DialContext, Stopwatch } from '../../contract/dial.ts';
import { quoteShort, showPeers } from '../../contract/display.ts';
import { Failure, networkFailure, notMet } from '../../contract/failure.ts';
import type { TlsOptions } from '../../contract/options.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import type { Dialogue } from '../../dialogue/dialogue.ts';

const maxListingBytes = 1024 * 1024;

export interface Listing {
  readonly lines: readonly string[];
  readonly bytes: number;
  /** The reply after the listing. */
  readonly text: string;
}

/**
 * Lists the current directory over a passive connection. That goes to the address of the control connection, whatever
 * PASV names, so no server can redirect the agent. The policy must allow its port. Its time is in the dialogue's
 * `ttlb`.
 */
export async function readListing(
  context: ProbeContext,
  dialogue: Dialogue,
  tls: TlsOptions | undefined,
): Promise<Listing> {
  if (tls) {
    await command(dialogue, 'PBSZ 0', [200]);
    await command(dialogue, 'PROT P', [200]);
  }
  const port = await passivePort(context, dialogue);
  const data = dataContext(context);
  const { address, host, socket } = dialogue.connection;
  using plain = await context.dial.connect(data, { host: address, port });
  await dialogue.send('LIST');
  const preliminary = await dialogue.readReply();
  if (preliminary.code !== 150 && preliminary.code !== 125) {
    throw notMet(`directory cannot be listed: ${quoteShort(preliminary.text)}`);
  }
  const session = socket instanceof TLSSocket ? socket.getSession() : undefined;
  using secured = tls
    ? await context.dial.secure(data, plain, { settings: tls, ...(session && { session }) }, host)
    : undefined;
  const bytes = await readAll(context, secured ?? plain);
  const done = await dialogue.expectReply([226, 250]);
  const lines = bytes
    .toString('utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '' && !/^total \d+$/.test(line));
  return { lines, bytes: bytes.length, text: done.text };
}

async function command(dialogue: Dialogue, line: string, codes: readonly number[]): Promise<void> {
  await dialogue.send(line);
  await dialogue.expectReply(codes);
}

/** EPSV (RFC 2428 section 3), or PASV for an IPv4 server without EPSV. */
async function passivePort(context: ProbeContext, dialogue: Dialogue): Promise<number> {
  const { family, address } = dialogue.connection;
  await dialogue.send('EPSV');
  const extended = await dialogue.readReply();
  if (extended.code === 229) {
    return portOf(/\((.)\1\1(\d{1,5})\1\)/.exec(extended.text)?.[2], extended.text);
  }
  if (family === 6 || extended.code < 500) {
    throw new Failure(resultCode.protocol, `expected 229, got ${quoteShort(extended.text)}`);
  }
  await dialogue.send('PASV');
  const { text } = await dialogue.expectReply([227]);
  const numbers = /(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3})/
    .exec(text)
    ?.slice(1)
    .map(Number);
  const [high = 0, low = 0] = numbers?.slice(4) ?? [];
  const named = numbers?.slice(0, 4).join('.');
  if (named !== undefined && named !== address) context.addDetail('PasvElsewhere', `${named}, not followed`);
  return portOf(numbers && low < 256 ? String(high * 256 + low) : undefined, text);
}

function portOf(digits: string | undefined, text: string): number {
  const port = Number(digits ?? 0);
  if (port >= 1 && port <= 65535) return port;
  throw new Failure(resultCode.protocol, `expected a port to connect to, got ${quoteShort(text)}`);
}

/** The context of the data connection, which does not change the phases and facts of the check. */
function dataContext(context: ProbeContext): DialContext {
  const { clock, signal, timeoutMs, policy, method, stopwatch } = context;
  const unchanged: Stopwatch = {
    enter: () => {},
    follow: () => {},
    conclude: () => {},
    pause: () => {},
    read: () => stopwatch.read(),
    running: () => stopwatch.running(),
  };
  const setPeers: ProbeContext['setPeers'] = (peers) => context.addDetail('DataAddress', showPeers(peers));
  return {
    clock,
    signal,
    timeoutMs,
    policy,
    method,
    stopwatch: unchanged,
    onCut: (listener) => context.onCut(listener),
    own: (resource) => context.own(resource),
    setPeers,
    addDetail: () => {},
    diagnostics: () => {},
  };
}

/** Reads to the end of the connection, at most 1 MiB. */
async function readAll(context: ProbeContext, connection: Connection): Promise<Buffer> {
  const { socket, peer } = connection;
  const parts: Buffer[] = [];
  let size = 0;
  addAbortSignal(context.signal, socket);
  try {
    for await (const chunk of socket) {
      if (!Buffer.isBuffer(chunk)) continue;
      parts.push(chunk);
      size += chunk.length;
      if (size > maxListingBytes) break;
    }
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    throw networkFailure(error, peer);
  }
  if (size > maxListingBytes) {
    throw notMet('the listing is over 1 MiB: set a smaller Directory');
  }
  return Buffer.concat(parts);
}

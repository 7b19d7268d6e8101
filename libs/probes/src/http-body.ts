import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { closedEarly, Failure, networkFailure, systemCode } from './failure.ts';
import { decodingOf } from './http-coding.ts';
import { reasonOf } from './http-exchange.ts';
import { type ProbeContext, resultCode } from './probe.ts';

/** Decoded bytes of a body that are kept for expectations and evidence. */
export const keptBytes = 1024 * 1024;

/** Each piece costs time, however small it is: a body of one byte at a time would keep all other checks from their turn. */
const mostPieces = 100_000;

/** A body as far as it was read. */
export interface Body {
  /** The first MiB, decoded. */
  readonly start: Buffer;
  /** Decoded bytes. */
  readonly size: number;
  /** Bytes on the wire, without headers. */
  readonly wire: number;
  /** Hex, of the decoded bytes; undefined when not asked for. */
  readonly sha256: string | undefined;
  /** It was longer than allowed and the rest was not read. */
  readonly overflow: boolean;
  /** The coding that kept it from being decoded. */
  readonly unknownCoding: string | undefined;
}

/** How a body is read. */
export interface BodySettings {
  /** `Content-Encoding` as the server said it. */
  readonly encoding: string | undefined;
  readonly digest: boolean;
  /** Decoded bytes after which the rest is not read: an endless body or a bomb must end. */
  readonly maxSize: number;
  readonly peer: string;
}

/** Reads a body to its end in constant memory; the last byte ends the phase. Throws Failure 3 for one that breaks off or is damaged. */
export function readBody(
  context: Pick<ProbeContext, 'signal' | 'stopwatch'>,
  source: Readable,
  settings: BodySettings,
): Promise<Body> {
  const { signal, stopwatch } = context;
  const { peer } = settings;
  const decoding = decodingOf(settings.encoding);
  const decoders = decoding.kind === 'decoders' ? decoding.list : [];
  const sink = decoders.reduce<Readable>((from, decoder) => from.pipe(decoder), source);
  const hash = settings.digest ? createHash('sha256') : undefined;
  const kept: Buffer[] = [];
  let wire = 0;
  let size = 0;
  return new Promise((resolve, reject) => {
    let settled = false;
    const finish = (then: () => void) => {
      if (settled) return;
      settled = true;
      signal.removeEventListener('abort', onAbort);
      then();
      for (const each of decoders) each.destroy();
    };
    const done = (overflow: boolean) => {
      stopwatch.pause();
      finish(() =>
        resolve({
          start: Buffer.concat(kept),
          size,
          wire,
          sha256: overflow ? undefined : hash?.digest('hex'),
          overflow,
          unknownCoding: decoding.kind === 'unknown' ? decoding.coding : undefined,
        }),
      );
      if (overflow) source.destroy();
    };
    const onAbort = () => finish(() => reject(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    // Head and breach may come in one segment: then it is all over before anybody could listen.
    if (source.destroyed && !source.readableEnded) {
      const { errored } = source;
      finish(() =>
        reject(errored ? bodyFailure(errored, peer) : closedEarly(peer, 'before its answer was complete')),
      );
      return;
    }
    let pieces = 0;
    source.on('data', (chunk: Buffer) => {
      wire += chunk.length;
      pieces += 1;
      if (pieces <= mostPieces) return;
      const text = `${peer} sends its body in more than ${mostPieces} pieces`;
      finish(() => reject(new Failure(resultCode.protocol, text)));
      source.destroy();
    });
    source.on('error', (error) => finish(() => reject(bodyFailure(error, peer))));
    source.on('end', () => stopwatch.pause());
    source.on('close', () => {
      if (!source.readableEnded) finish(() => reject(closedEarly(peer, 'before its answer was complete')));
    });
    sink.on('data', (chunk: Buffer) => {
      if (settled) return;
      const room = keptBytes - Math.min(size, keptBytes);
      if (room > 0) kept.push(chunk.subarray(0, room));
      size += chunk.length;
      hash?.update(chunk);
      if (size > settings.maxSize) done(true);
    });
    sink.on('end', () => done(false));
    const onDamage = (error: Error) => {
      // No body at all (204, 304, a bare redirect) is none that could be damaged, whatever the header says.
      if (wire === 0 && source.readableEnded) {
        done(false);
        return;
      }
      const text = `the ${settings.encoding} body of ${peer} is damaged (${error.message})`;
      finish(() => reject(new Failure(resultCode.protocol, text, { cause: error })));
    };
    for (const each of decoders) each.on('error', onDamage);
  });
}

function bodyFailure(error: Error, peer: string): Failure {
  const code = systemCode(error);
  if (code === 'ECONNRESET' && error.message === 'aborted')
    return closedEarly(peer, 'before its answer was complete');
  if (code.startsWith('HPE_') || code.startsWith('ERR_HTTP2')) {
    return new Failure(
      resultCode.protocol,
      `${peer} broke the rules of HTTP in its body (${reasonOf(error, code)})`,
      {
        cause: error,
      },
    );
  }
  return networkFailure(error, peer);
}

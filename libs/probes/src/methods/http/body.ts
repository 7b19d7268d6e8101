import { createHash } from 'node:crypto';
import type { Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib';
import { resultCode } from '@vantage/domain';
import { closedEarly, Failure, networkFailure, systemCode } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import { reasonOf } from './exchange.ts';

/** Decoded bytes of a body that are kept for expectations and diagnostics. */
export const keptBytes = 1024 * 1024;

/** Each piece costs time, however small it is. A body of one byte at a time would delay all other checks. */
const maxPieces = 100_000;

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
  /** The server's `Content-Encoding`. */
  readonly encoding: string | undefined;
  readonly digest: boolean;
  /** Decoded bytes after which the rest is not read: an endless body or a bomb must end. */
  readonly maxSize: number;
  readonly peer: string;
  /** Whether a source that ended has given the whole body. */
  readonly isComplete: () => boolean;
}

/**
 * Reads a body to its end in constant memory; the last byte ends the phase. Throws Failure 3 for one that breaks off or
 * is damaged.
 */
export function readBody(
  context: Pick<ProbeContext, 'signal' | 'stopwatch'>,
  source: Readable,
  settings: BodySettings,
): Promise<Body> {
  const { signal, stopwatch } = context;
  const { peer, encoding } = settings;
  const decoding = decodingOf(encoding);
  const decoders = decoding.kind === 'decoders' ? decoding.list : [];
  const sink = decoders.reduce<Readable>((from, decoder) => from.pipe(decoder), source);
  const content = createContent(settings);
  const cutShort = () => closedEarly(peer, 'before its answer was complete');
  return new Promise((resolve, reject) => {
    let settled = false;
    const finish = (then: () => void) => {
      if (settled) return;
      settled = true;
      signal.removeEventListener('abort', onAbort);
      then();
      for (const each of decoders) each.destroy();
    };
    const fail = (error: unknown) => finish(() => reject(error));
    const done = (overflow: boolean) => {
      stopwatch.pause();
      const unknownCoding = decoding.kind === 'unknown' ? decoding.coding : undefined;
      finish(() => resolve({ ...content.end(overflow), unknownCoding }));
      if (overflow) source.destroy();
    };
    const onAbort = () => fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    // Head and breach may come in one segment: then it is all over before anybody could listen.
    if (source.destroyed && !source.readableEnded) {
      fail(source.errored ? bodyFailure(source.errored, peer) : cutShort());
      return;
    }
    source.on('data', (chunk: Buffer) => {
      if (content.addPiece(chunk)) return;
      const text = `${peer} sends its body in more than ${maxPieces} pieces`;
      fail(new Failure(resultCode.protocol, text));
      source.destroy();
    });
    source.on('error', (error) => fail(bodyFailure(error, peer)));
    source.on('end', () => {
      stopwatch.pause();
      if (!settings.isComplete()) fail(cutShort());
    });
    source.on('close', () => source.readableEnded || fail(cutShort()));
    sink.on('data', (chunk: Buffer) => {
      if (!settled && !content.addDecoded(chunk)) done(true);
    });
    sink.on('end', () => done(false));
    const onDamage = (error: Error) => {
      // A missing body (204, 304, a bare redirect) cannot be damaged, so the header does not matter.
      if (content.wire() === 0 && source.readableEnded) return done(false);
      const text = `the ${encoding} body of ${peer} is damaged (${error.message})`;
      return fail(new Failure(resultCode.protocol, text, { cause: error }));
    };
    for (const each of decoders) each.on('error', onDamage);
  });
}

/** Counts and keeps what came of a body. */
function createContent({ digest, maxSize }: BodySettings) {
  const hash = digest ? createHash('sha256') : undefined;
  const kept: Buffer[] = [];
  let pieces = 0;
  let wire = 0;
  let size = 0;
  return {
    wire: () => wire,
    /** Takes bytes of the wire; false: these are too many pieces. */
    addPiece(chunk: Buffer): boolean {
      wire += chunk.length;
      pieces += 1;
      return pieces <= maxPieces;
    },
    /** Takes decoded bytes; false: the body is longer than allowed. */
    addDecoded(chunk: Buffer): boolean {
      const room = keptBytes - Math.min(size, keptBytes);
      if (room > 0) kept.push(chunk.subarray(0, room));
      size += chunk.length;
      hash?.update(chunk);
      return size <= maxSize;
    },
    end(overflow: boolean): Omit<Body, 'unknownCoding'> {
      const sha256 = overflow ? undefined : hash?.digest('hex');
      return { start: Buffer.concat(kept), size, wire, sha256, overflow };
    },
  };
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

/** The codings that `Accept-Encoding` offers. */
export const offeredCodings = 'gzip, deflate, br, zstd';

/** A server that wraps its body more often than this means no good. */
const maxCodings = 3;
/** RFC 9659 section 3: no zstd body needs a window over 8 MiB, so nobody can make us hold more. */
const zstdWindowLog = 23;

/** The decoders of a body, in the order in which it goes through them. */
type Decoding =
  | { readonly kind: 'decoders'; readonly list: readonly Transform[] }
  /** A coding that is not known here: the body stays as it came. */
  | { readonly kind: 'unknown'; readonly coding: string };

/** Reads a `Content-Encoding` (RFC 9110 section 8.4: in the order in which the codings were applied). */
function decodingOf(encoding: string | undefined): Decoding {
  const codings = (encoding ?? '')
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '' && each !== 'identity');
  const unknown = codings.find((each) => !Object.hasOwn(decoders, each));
  if (unknown !== undefined) return { kind: 'unknown', coding: unknown };
  if (codings.length > maxCodings) return { kind: 'unknown', coding: codings.join(', ') };
  const list = codings.reverse().flatMap((each) => decoders[each]?.() ?? []);
  return { kind: 'decoders', list };
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createUnzip(),
  'x-gzip': () => createUnzip(),
  deflate: () => createUnzip(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } }),
};

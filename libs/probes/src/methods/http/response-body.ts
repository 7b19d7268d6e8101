import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { resultCode } from '@vantage/domain';
import { closedEarly, Failure, networkFailure, systemCode } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import { decodingOf } from './content-coding.ts';
import { reasonOf } from './http-exchange.ts';

/** The decoded start of a body that expectations and diagnostics get, bytes. */
export const maxBodyStart = 1024 * 1024;

/** Each piece costs time. A body of many one-byte pieces would delay all other checks. */
const maxPieces = 100_000;

/** The part of a body that was read. */
export interface ResponseBody {
  /** The first MiB, decoded. */
  readonly start: Buffer;
  /** Decoded bytes. */
  readonly size: number;
  /** Bytes on the wire, without headers. */
  readonly wire: number;
  /** Hex, of the decoded bytes; undefined if it was not requested. */
  readonly sha256: string | undefined;
  /** The body was too long, so the rest was not read. */
  readonly overflow: boolean;
  /** A coding that could not be decoded. */
  readonly unknownCoding: string | undefined;
}

export interface BodySettings {
  /** The server's `Content-Encoding`. */
  readonly encoding: string | undefined;
  readonly digest: boolean;
  /** Decoded bytes. The limit ends an endless body and a decompression bomb. */
  readonly maxSize: number;
  readonly peer: string;
  /** Whether a source that has ended provided the whole body. */
  readonly isComplete: () => boolean;
}

/**
 * Reads a body to its end in constant memory. The last byte ends the phase. Throws Failure 3 for an incomplete or
 * damaged body.
 */
export function readBody(
  context: Pick<ProbeContext, 'signal' | 'stopwatch'>,
  source: Readable,
  settings: BodySettings,
): Promise<ResponseBody> {
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
      for (const decoder of decoders) decoder.destroy();
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
    // If head and fault arrive in one segment, the source has failed before this function could listen.
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
    for (const decoder of decoders) decoder.on('error', onDamage);
  });
}

/** Collects the start of a body and counts its bytes. */
function createContent({ digest, maxSize }: BodySettings) {
  const hash = digest ? createHash('sha256') : undefined;
  const chunks: Buffer[] = [];
  let pieces = 0;
  let wire = 0;
  let size = 0;
  return {
    wire: () => wire,
    /** Counts bytes on the wire; false if there are too many pieces. */
    addPiece(chunk: Buffer): boolean {
      wire += chunk.length;
      pieces += 1;
      return pieces <= maxPieces;
    },
    /** Adds decoded bytes; false if the body is too long. */
    addDecoded(chunk: Buffer): boolean {
      const room = maxBodyStart - Math.min(size, maxBodyStart);
      if (room > 0) chunks.push(chunk.subarray(0, room));
      size += chunk.length;
      hash?.update(chunk);
      return size <= maxSize;
    },
    end(overflow: boolean): Omit<ResponseBody, 'unknownCoding'> {
      const sha256 = overflow ? undefined : hash?.digest('hex');
      return { start: Buffer.concat(chunks), size, wire, sha256, overflow };
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

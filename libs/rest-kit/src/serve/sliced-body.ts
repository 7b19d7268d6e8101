import { Readable } from 'node:stream';

/** Longer answers are sent in slices of this length: the client takes one before TLS encrypts the next, bytes. */
export const sliceBytes = 65_536;

/** The bytes of a long answer on their way to a client. The port of the API reads its properties. */
export class SlicedBody extends Readable {
  readonly #bytes: Buffer;
  #sent = 0;
  /** The bytes belong to a document that all clients get, so they take no memory of their own. */
  readonly isShared: boolean;

  constructor(bytes: Buffer, isShared: boolean) {
    super({ highWaterMark: sliceBytes });
    this.#bytes = bytes;
    this.isShared = isShared;
  }

  /** Bytes that the client has not been sent yet. */
  get remainingBytes(): number {
    return this.#bytes.length - this.#sent + this.readableLength;
  }

  override _read(): void {
    const slice = this.#bytes.subarray(this.#sent, this.#sent + sliceBytes);
    this.#sent += slice.length;
    this.push(slice.length === 0 ? null : slice);
  }
}

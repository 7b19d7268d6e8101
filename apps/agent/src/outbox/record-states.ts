/** The state of a record in a segment. A record has ended when it is `acked`, or `done` (lost and reported). */
export type RecordState = 'waiting' | 'inFlight' | 'acked' | 'done';

const codes = { waiting: 0, inFlight: 1, acked: 2, done: 3 } as const satisfies Record<RecordState, number>;
const states = Object.keys(codes) as RecordState[];
const stateBits = 0b011;
const resultBit = 0b100;
const firstCapacity = 64;

/** The states of a segment's records by index, one byte each, so that a retained segment costs hardly any memory. */
export class RecordStates {
  #bytes = new Uint8Array(firstCapacity);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds a record; returns its index. */
  push(state: RecordState, isResult: boolean): number {
    if (this.#length === this.#bytes.length) {
      const longer = new Uint8Array(this.#length * 2);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes[this.#length] = codes[state] | (isResult ? resultBit : 0);
    this.#length += 1;
    return this.#length - 1;
  }

  /** The state of the record; undefined beyond the end. */
  at(index: number): RecordState | undefined {
    return index < this.#length ? states[(this.#bytes[index] ?? 0) & stateBits] : undefined;
  }

  /** Sets the state of an existing record. */
  set(index: number, state: RecordState): void {
    this.#bytes[index] = ((this.#bytes[index] ?? 0) & resultBit) | codes[state];
  }

  /** Whether the record is a check result. Data gaps do not count other records (coverage, clock). */
  isResult(index: number): boolean {
    return ((this.#bytes[index] ?? 0) & resultBit) !== 0;
  }

  includes(state: RecordState): boolean {
    return this.#bytes.subarray(0, this.#length).some((byte) => (byte & stateBits) === codes[state]);
  }

  /**
   * The indexes of the records in a state, in order. A state that changes during the iteration counts as it is then.
   */
  *indexesOf(state: RecordState): Generator<number> {
    for (let index = 0; index < this.#length; index += 1) if (this.at(index) === state) yield index;
  }
}

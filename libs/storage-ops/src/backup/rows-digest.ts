import { hash } from 'node:crypto';

/** Counts and sums rows, in any order. */
export interface RowsDigest {
  /** Adds whole rows of PostgreSQL's text format of COPY: a row is a line. */
  add(rows: Buffer): void;
  /** The number of rows, and the sum of their SHA-256 as eight numbers of 32 bits. Equal for equal rows. */
  read(): string;
}

const lanes = 8;

/**
 * A digest of a table's rows in constant memory. It does not depend on the order, because PostgreSQL returns rows in
 * the order of their storage, which a restore changes. A sum notices a duplicate row; an exclusive or would not.
 */
export function createRowsDigest(): RowsDigest {
  const sums = new Uint32Array(lanes);
  let count = 0;
  return {
    add(rows) {
      let from = 0;
      for (let end = rows.indexOf(10); end >= 0; end = rows.indexOf(10, from)) {
        const row = hash('sha256', rows.subarray(from, end), 'buffer');
        for (let lane = 0; lane < lanes; lane += 1)
          sums[lane] = (sums[lane] ?? 0) + row.readUInt32LE(4 * lane); // modulo 2 ** 32
        count += 1;
        from = end + 1;
      }
    },
    read: () => `${count} ${sums.join(' ')}`,
  };
}

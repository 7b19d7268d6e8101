import pg from 'pg';

/** The rows of a COPY statement, in the format that the statement names; passed instead of its parameters. */
export class CopyData {
  readonly rows: Buffer;

  constructor(rows: Buffer) {
    this.rows = rows;
  }
}

/** Runs a COPY statement on one connection. */
export function copyIn(
  client: Pick<pg.ClientBase, 'query'>,
  text: string,
  { rows }: CopyData,
): Promise<{ readonly command: string; readonly rowCount: number; readonly rows: [] }> {
  return new Promise((resolve, reject) => {
    client.query(
      new CopyQuery(text, rows, (error) => {
        if (error) reject(error);
        else resolve({ command: 'COPY', rowCount: 0, rows: [] });
      }),
    );
  });
}

/**
 * A query of node-postgres that sends the data together with the statement (PostgreSQL, Frontend/Backend Protocol, COPY
 * Operations: a server that rejected the statement ignores the data). It does not wait for the CopyInResponse: no time
 * limit of PostgreSQL ends a transaction that waits for the data of a COPY, so a process that stalls there would keep
 * the locks of its devices without a limit.
 */
class CopyQuery extends pg.Query {
  constructor(text: string, rows: Buffer, done: (error: Error | null | undefined) => void) {
    super(text, done);
    const sendStatement = this.submit.bind(this);
    this.submit = (connection) => {
      const { stream } = connection;
      stream.cork();
      const fault = sendStatement(connection);
      stream.write(copyDataHead(rows.length));
      stream.write(rows);
      stream.write(copyDone);
      stream.uncork();
      return fault;
    };
  }

  handleCopyInResponse(): void {
    // The data was sent with the statement.
  }
}

/** The message CopyDone: `c` and its length. */
const copyDone = Buffer.from([0x63, 0, 0, 0, 4]);

/** The start of the message CopyData: `d`, and the length of the message without the `d`. */
function copyDataHead(dataBytes: number): Buffer {
  const head = Buffer.alloc(5, 'd');
  head.writeUInt32BE(dataBytes + 4, 1);
  return head;
}

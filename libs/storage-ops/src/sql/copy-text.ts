import { CopyData, copyIn } from '@vantage/storage/copy-in';
import pg from 'pg';

/** When more bytes wait for the reader, the connection is paused, and the server waits. */
const maxWaitingBytes = 1024 * 1024;

interface Pausable {
  pause(): void;
  resume(): void;
}

/** Runs `copy … to stdout`. Each chunk has whole rows. The connection is occupied until the end. */
export async function* copyOut(client: pg.ClientBase, text: string): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = [];
  let waiting = 0;
  let end: { readonly error: Error | undefined } | undefined;
  let paused: Pausable | undefined;
  let wake = () => {};
  client.query(
    new CopyOutQuery(
      text,
      (chunk, stream) => {
        chunks.push(Buffer.from(chunk)); // a copy, because the parser reuses its memory
        waiting += chunk.length;
        if (waiting >= maxWaitingBytes && paused === undefined) {
          paused = stream;
          stream.pause();
        }
        wake();
      },
      (error) => {
        end = { error };
        wake();
      },
    ),
  );
  for (;;) {
    if (chunks.length > 0) {
      const all = Buffer.concat(chunks.splice(0));
      waiting = 0;
      paused?.resume();
      paused = undefined;
      yield all;
    } else if (end !== undefined) {
      if (end.error !== undefined) throw end.error;
      return;
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
}

class CopyOutQuery extends pg.Query {
  readonly #onRows: (chunk: Buffer, stream: Pausable) => void;

  constructor(
    text: string,
    onRows: (chunk: Buffer, stream: Pausable) => void,
    done: (error: Error | undefined) => void,
  ) {
    super(text, (error: Error | null | undefined) => done(error ?? undefined));
    this.#onRows = onRows;
  }

  handleCopyData(message: { readonly chunk: Buffer }, connection: { readonly stream: Pausable }): void {
    this.#onRows(message.chunk, connection.stream);
  }
}

/** Runs `copy … from stdin` with whole rows of the text format. */
export async function copyTextIn(client: pg.ClientBase, text: string, rows: Buffer): Promise<void> {
  await copyIn(client, text, new CopyData(rows));
}

/** Counts rows of the text format, in which a row is a line. */
export function countRows(rows: Buffer): number {
  let count = 0;
  for (let at = rows.indexOf(10); at >= 0; at = rows.indexOf(10, at + 1)) count += 1;
  return count;
}

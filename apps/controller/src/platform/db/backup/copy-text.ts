import pg from 'pg';
import { CopyData, copyIn } from '../copy-rows.ts';

/** So many bytes wait for their reader; then the server waits. */
const mostWaiting = 1024 * 1024;

interface Pausable {
  pause(): void;
  resume(): void;
}

/** Runs `copy … to stdout`; each chunk has whole rows. The connection serves nothing else until the end. */
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
        chunks.push(Buffer.from(chunk)); // the parser uses its memory again
        waiting += chunk.length;
        if (waiting >= mostWaiting && paused === undefined) {
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

const copyDone = Buffer.from([0x63, 0, 0, 0, 4]);

/** Runs `copy … from stdin` with whole rows of the text format. */
export async function copyTextIn(client: pg.ClientBase, text: string, rows: Buffer): Promise<void> {
  const head = Buffer.alloc(5, 'd');
  head.writeUInt32BE(rows.length + 4, 1);
  await copyIn(client, text, new CopyData(Buffer.concat([head, rows, copyDone])));
}

import { expect, test } from 'vitest';
import { CopyData, copyIn } from './copy-in.ts';

test('a COPY sends its data with the statement, so that a stalled process keeps no lock longer than a transaction may', () => {
  const sent: unknown[] = [];
  const stream = { cork: () => {}, uncork: () => {}, write: (bytes: Buffer) => sent.push(bytes) };
  const connection = {
    query: (text: string) => sent.push(text),
    stream,
    parsedStatements: {},
    submittedNamedStatements: {},
  };
  const client = { query: (query: { submit(to: object): void }) => query.submit(connection) };
  const data = Buffer.from('data');
  void copyIn(client as never, 'copy t from stdin', new CopyData(data));
  const [head, done] = [Buffer.from([0x64, 0, 0, 0, 8]), Buffer.from([0x63, 0, 0, 0, 4])];
  expect(sent).toEqual(['copy t from stdin', head, data, done]);
});

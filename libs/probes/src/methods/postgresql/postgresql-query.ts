import type { MeasuredValue } from '@vantage/domain';
import { notMet } from '../../contract/failure.ts';
import { maxPayloadBytes, type PostgresChannel } from './postgresql-channel.ts';
import {
  type PostgresAnswer,
  type PostgresError,
  type ResultColumn,
  readColumns,
  readError,
  readRow,
  textMessage,
} from './postgresql-messages.ts';

/** The result of a query. */
export interface QueryResult {
  readonly columns: readonly ResultColumn[];
  /** The first rows: at most 100, with at most 64 KiB. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** The number of all rows. */
  readonly count: number;
}

const maxRows = 100;
/** int8, int2, int4, float4, float8, numeric. */
const numberTypes = [20, 21, 23, 700, 701, 1700];

/** Runs a query, which may be several statements, and returns its first result with columns. */
export async function runQuery(channel: PostgresChannel, sql: string): Promise<PostgresAnswer<QueryResult>> {
  await channel.write(textMessage('Q', sql), sql);
  const firstRows: (readonly (string | null)[])[] = [];
  let columns: readonly ResultColumn[] | undefined;
  let results = 0;
  let count = 0;
  let bytes = 0;
  let error: PostgresError | undefined;
  while (true) {
    const { type, payload } = await channel.read();
    switch (type) {
      case 'T':
        results += 1;
        if (results > 1) break;
        columns = readColumns(payload);
        if (!columns) throw channel.unexpected('no description of the rows');
        break;
      case 'D':
        if (results === 0) throw channel.unexpected('a row without a description');
        if (results > 1) break;
        count += 1;
        if (firstRows.length > 0 && (firstRows.length >= maxRows || bytes + payload.length > maxPayloadBytes))
          break;
        firstRows.push(readRow(payload));
        bytes += payload.length;
        break;
      case 'E':
        error ??= readError(payload);
        break;
      case 'G':
        throw notMet('the query requests data (COPY FROM STDIN), which is not sent');
      case 'Z':
        if (error) return { ok: false, error };
        return { ok: true, value: { columns: columns ?? [], rows: firstRows, count } };
      case 'R':
      case 'W':
        throw channel.unexpected('no answer to the query');
    }
  }
}

/** The numbers of the first row by the names of their columns, each name once. */
export function valuesOf({ columns, rows: [first = []] }: QueryResult): readonly MeasuredValue[] {
  const seen = new Set<string>();
  return columns.flatMap(({ name, type }, at) => {
    const text = first[at] ?? null;
    const Value = Number(text);
    if (text === null || !numberTypes.includes(type) || !Number.isFinite(Value) || seen.has(name)) return [];
    seen.add(name);
    return [{ Label: name, Value, Unit: '' }];
  });
}

import { cleanLine, type DeviceStatus } from '@vantage/domain';
import { readText, unreadable } from '../input/text-file.ts';
import { parseTable } from '../table/parse-table.ts';
import { type ReportedStatus, timeOf } from './reported-status.ts';

const verdictsByWord: Readonly<Record<string, DeviceStatus>> = {
  up: 'Up',
  ok: 'Up',
  online: 'Up',
  '1': 'Up',
  good: 'Up',
  down: 'Down',
  critical: 'Down',
  offline: 'Down',
  '0': 'Down',
  error: 'Down',
  failed: 'Down',
  maint: 'Maint',
  maintenance: 'Maint',
  paused: 'Unknown',
  unknown: 'Unknown',
  pending: 'Unknown',
};

/** Reads a table with the columns Name and Status, and optionally Key, Since (ISO 8601) and Reason. */
export function readStatusTable(file: string): readonly ReportedStatus[] {
  const [head, ...rows] = parseTable(readText(file), file).rows;
  const headers = (head?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  if (!headers.includes('name') || !headers.includes('status'))
    throw unreadable(
      `${file}:1 has no columns Name and Status; accepted are Name, Status, Key, Since, Reason`,
    );
  return rows.map(({ cells, line }) => {
    const cell = (header: string) => (cells[headers.indexOf(header)] ?? '').trim();
    const verdict = verdictsByWord[cell('status').toLowerCase()];
    if (verdict === undefined)
      throw unreadable(
        `${file}:${line} has the status ${JSON.stringify(cell('status'))}; accepted are up, down, maint, unknown`,
      );
    const key = cell('key');
    return {
      ids: key === '' ? [] : [key],
      name: cell('name') || key,
      verdict,
      sinceMs: timeOf(cell('since')),
      why: cleanLine(cell('reason')),
    };
  });
}

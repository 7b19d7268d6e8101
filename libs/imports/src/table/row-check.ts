import { methods } from '@vantage/domain';
import type { FoundCheck } from '../found-check.ts';
import { guessMethod, methodOfWord, urlFor } from '../values/address-method.ts';
import type { TableRow } from './parse-table.ts';
import { cellsOf, type RowCells, RowRefusal, wrongCell } from './row-cells.ts';
import { optionsOf } from './row-options.ts';
import type { TableColumn } from './table-columns.ts';

interface RowCheck {
  readonly check: FoundCheck;
  /** The row has no Method. It was guessed by the address. */
  readonly isMethodGuessed: boolean;
}

/** The check of a row, or the reason why it is not imported. `bareSeconds` is the unit of an interval without one. */
export function checkOfRow(
  row: TableRow,
  columns: readonly TableColumn[],
  bareSeconds: number,
): RowCheck | string {
  const hasExtraCells = row.cells.slice(columns.length).some((cell) => cell.trim() !== '');
  if (hasExtraCells) return `has ${row.cells.length} cells, but there are ${columns.length} columns`;
  try {
    return readCells(row.line, cellsOf(row, columns), bareSeconds);
  } catch (error) {
    if (error instanceof RowRefusal) return error.message;
    throw error;
  }
}

function readCells(line: number, cells: RowCells, bareSeconds: number): RowCheck {
  const address = cells.text('address');
  if (address === undefined) throw new RowRefusal('has no URL, host or address');
  const port = cells.wholeNumber('port', 1, 65_535);
  const word = cells.text('method');
  const method = word === undefined ? guessMethod(address, port) : methodOfWord(word);
  if (method === undefined)
    throw new RowRefusal(`${JSON.stringify(word)} is not a Method; accepted are ${methods.join(', ')}`);
  const url = urlFor(method, address, port);
  const lost: string[] = [];
  if (method === 'HTTP' && !/^https?:/i.test(address))
    lost.push(`its scheme is missing: ${url.slice(0, url.indexOf(':'))} was assumed`);
  const severity = severityOf(cells.text('severity'));
  const group = cells.text('group');
  const tags = [...(cells.list('tags') ?? []), ...(group === undefined ? [] : [group])];
  const retries = cells.wholeNumber('retries', 0, 1000);
  const attempts =
    cells.wholeNumber('attempts', 1, 1000) ?? (retries === undefined ? undefined : retries + 1);
  const check: FoundCheck = {
    at: `line ${line}`,
    name: cells.text('name') ?? cells.text('shortName') ?? address,
    id: cells.text('key') ?? cells.text('name') ?? cells.text('shortName'),
    method,
    url,
    options: optionsOf(cells, method, lost),
    shortName: cells.text('shortName'),
    intervalSeconds: cells.seconds('frequency', 60) ?? cells.seconds('interval', bareSeconds),
    timeoutSeconds: cells.seconds('timeout', 1),
    attempts,
    retryDelaySeconds: cells.seconds('retryDelay', 1),
    tags: tags.length === 0 ? undefined : tags,
    master: cells.text('master'),
    locations: cells.list('locations'),
    severity,
    enabled: cells.truth('enabled') ?? inverted(cells.truth('paused')),
    lost,
  };
  return { check, isMethodGuessed: word === undefined };
}

function inverted(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function severityOf(text: string | undefined): FoundCheck['severity'] {
  if (text === undefined) return undefined;
  const severity = text.toLowerCase();
  if (severity === 'info' || severity === 'warning' || severity === 'critical') return severity;
  throw wrongCell('Severity', 'info, warning or critical', text);
}

import type { Column, ColumnMeaning, Columns } from './columns.ts';

const separatorNames: Readonly<Record<string, string>> = {
  '\t': 'tabs',
  ',': 'commas',
  ';': 'semicolons',
  '|': 'bars',
};

/** A separator in words. */
export function showSeparator(separator: string): string {
  return separatorNames[separator] ?? separator;
}

const wordsFor: Readonly<Record<ColumnMeaning, string>> = {
  address: 'URL',
  port: 'port of the URL',
  method: 'Method',
  name: 'FullName',
  shortName: 'ShortName',
  key: 'Key',
  frequency: 'Frequency',
  interval: 'Frequency',
  timeout: 'Timeout',
  retries: 'Attempts (one more)',
  attempts: 'Attempts (failing checks until Down)',
  retryDelay: 'RetryDelay',
  tags: 'Tags',
  group: 'Tags (one path)',
  master: 'device_master_id',
  enabled: 'Enabled',
  paused: 'Enabled (turned round)',
  severity: 'Severity',
  locations: 'Locations',
  user: 'Options.User',
  password: 'Options.Password',
  keyword: 'Options.ExpectText',
  status: 'Options.ExpectStatus',
  server: 'Options.Server',
  recordType: 'Options.Type',
  options: 'Options (JSON)',
};

/** How a column is read, for the report; `minutes` says how bare intervals count. */
export function showColumn(
  { header, meaning, option, at, unitSeconds }: Column,
  { rows }: Columns,
  minutes: boolean,
): string {
  const name = JSON.stringify(header);
  if (meaning === 'option') return `${name} is Options.${option}`;
  if (meaning === undefined)
    return rows.some(({ cells }) => (cells[at] ?? '').trim() !== '')
      ? `${name} is not read`
      : `${name} is not read (and empty)`;
  const unit =
    meaning === 'interval' && unitSeconds === undefined
      ? `, numbers without a unit in ${minutes ? 'minutes' : 'seconds'}`
      : '';
  return `${name} is ${wordsFor[meaning]}${unit}`;
}

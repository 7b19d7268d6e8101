import pg from 'pg';

/** A name, quoted for an SQL statement. */
export function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}

/** A list of quoted names for an SQL statement. */
export function columnList(columns: readonly string[]): string {
  return columns.map(quoted).join(', ');
}

import type { ChangeReach } from './device-table.ts';

/** The reach of each field of a table. */
export const reachesOf = <T extends Readonly<Record<string, { readonly reach: ChangeReach }>>>(table: T) =>
  Object.fromEntries(Object.entries(table).map(([name, { reach }]) => [name, reach])) as {
    readonly [Name in keyof T]: ChangeReach;
  };

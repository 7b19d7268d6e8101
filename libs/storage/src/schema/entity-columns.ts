import { p, Type } from '@mikro-orm/core';

/**
 * A `text[]` column of an entity. The ORM's array type leaves some elements unquoted and escapes others as JSON, so
 * PostgreSQL would misread `NULL`, leading and trailing spaces, and line breaks. This type quotes every element
 * (PostgreSQL manual, "Array Input and Output Syntax"). node-postgres parses the columns that are read.
 */
export class TextArray extends Type<string[], string | null> {
  override convertToDatabaseValue(value: string[] | null): string | null {
    if (value === null) return null;
    return `{${value.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
  }

  override getColumnType(): string {
    return 'text[]';
  }

  override compareAsType(): string {
    return 'string[]';
  }
}

/** An `int[]` column of an entity; node-postgres parses the columns that are read. */
export class IntArray extends Type<number[], string | null> {
  override convertToDatabaseValue(value: number[] | null): string | null {
    return value === null ? null : `{${value.join(',')}}`;
  }

  override getColumnType(): string {
    return 'int[]';
  }

  override compareAsType(): string {
    return 'number[]';
  }
}

/** The columns `external_key`, the client's identifier of a resource, and `source`, which owns the resource. */
export function identity() {
  return { externalKey: p.text().nullable(), source: p.text().nullable() };
}

/** When a row was created, and when its settings were last changed; a trigger updates the second (migration 0186). */
export function times() {
  return { createdAt: p.datetime().defaultRaw('now()'), updatedAt: p.datetime().defaultRaw('now()') };
}

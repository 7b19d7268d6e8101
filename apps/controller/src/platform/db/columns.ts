import { p, Type } from '@mikro-orm/core';

/**
 * A `text[]` column of an entity. The ORM's own array type leaves some elements unquoted and escapes others as JSON
 * does, so that PostgreSQL would read `NULL`, a space at an end or a line break as something else. Here each element is
 * quoted (PostgreSQL manual, "Array Input and Output Syntax"). node-postgres has parsed a column that was read.
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

/** An `int[]` column of an entity; node-postgres has parsed a column that was read. */
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

/** The columns of the client's own identity of a thing, and of what manages it. */
export function identity() {
  return { externalKey: p.text().nullable(), source: p.text().nullable() };
}

/** When a row was created, and when its settings were changed last; a trigger keeps the second (migration 0186). */
export function times() {
  return { createdAt: p.datetime().defaultRaw('now()'), updatedAt: p.datetime().defaultRaw('now()') };
}

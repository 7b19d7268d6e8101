import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** A column as PostgreSQL's catalog describes it. */
export interface TableColumn {
  readonly table: string;
  readonly name: string;
  /** As `format_type` writes it: `integer`, `text[]`. */
  readonly type: string;
  readonly nullable: boolean;
  /** The expression, as PostgreSQL writes it. */
  readonly default: string | null;
  readonly identity: boolean;
  /** The position in the primary key, from 1. */
  readonly key: number | null;
  /** The values that a check constraint on this column alone permits. */
  readonly values: readonly string[] | null;
}

/** PostgreSQL does not know which columns of a view can be null. */
const nullableInViews = ['retry_id', 'run_request_id', 'extended', 'behind_anchor', 'measured'];

/**
 * The columns of all tables and views of the schema `public`, in order. Partitions are left out, and `migrations`,
 * which belongs to the ORM.
 */
export async function readColumns(db: Kysely<Tables>): Promise<readonly TableColumn[]> {
  const { rows } = await sql<Omit<TableColumn, 'values'> & { readonly check: string | null }>`
    select t.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      case t.relkind when 'v' then a.attname = any(${nullableInViews}::text[]) else not a.attnotnull end as nullable,
      pg_get_expr(d.adbin, d.adrelid) as default, a.attidentity <> '' as identity,
      array_position(k.conkey, a.attnum) as key, pg_get_constraintdef(c.oid) as check
    from pg_class t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    left join pg_constraint k on k.conrelid = t.oid and k.contype = 'p'
    left join pg_constraint c on c.conrelid = t.oid and c.contype = 'c' and c.conkey = array[a.attnum]
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p', 'v') and not t.relispartition
      and t.relname <> 'migrations'
    order by t.relname collate "C", a.attnum`.execute(db);
  return rows.map(({ check, ...column }) => ({ ...column, values: permittedValues(check) }));
}

/** The values in `CHECK ((state = ANY (ARRAY['Open'::text, 'Answered'::text])))`. */
function permittedValues(check: string | null): readonly string[] | null {
  if (check === null || !check.includes('= ANY (ARRAY[')) return null;
  return [...check.matchAll(/'([^']*)'::text/g)].map(([, value = '']) => value);
}

const scalars: Readonly<Record<string, string>> = {
  integer: 'number',
  bigint: 'number',
  smallint: 'number',
  real: 'number',
  'double precision': 'number',
  text: 'string',
  boolean: 'boolean',
  bytea: 'Uint8Array',
  jsonb: 'Jsonb',
  'integer[]': 'number[]',
  'text[]': 'string[]',
  'bigint[]': 'number[]',
  'double precision[]': 'number[]',
};

/** The types of columns of which PostgreSQL does not store the dimensions. */
const arrayTypes: Readonly<Record<string, string>> = {
  'rollup_hourly.histogram': 'number[][]',
  'rollup_daily.histogram': 'number[][]',
  // A series without a value in the check.
  'check_rows.measured': '(number | null)[]',
  'checks.measured': '(number | null)[]',
};

/** The TypeScript source of Kysely's types for these columns. Throws for an unknown type. Pure. */
export function tableTypes(columns: readonly TableColumn[]): string {
  const tables = Map.groupBy(columns, ({ table }) => table);
  const bodies = [...tables].map(
    ([table, columnsOfTable]) =>
      `  ${table}: {\n${columnsOfTable.map((column) => `    ${column.name}: ${columnType(column)};\n`).join('')}  };\n`,
  );
  return [
    '// Made by `npm run gen:db` from the migrated schema; never edit it.\n',
    "import type { ColumnType, Generated, GeneratedAlways } from 'kysely';\n\n",
    '/** Read parsed, written as JSON text. */\n',
    'type Jsonb = ColumnType<unknown, string, string>;\n\n',
    '/** The tables of the data path. */\n',
    `export interface DataTables {\n${bodies.join('')}}\n`,
  ].join('');
}

function columnType(column: TableColumn): string {
  const scalar = arrayTypes[`${column.table}.${column.name}`] ?? scalars[column.type];
  if (scalar === undefined)
    throw new Error(
      `the type ${column.type} of ${column.table}.${column.name} is not known to table-types.ts`,
    );
  const type = column.values?.map((value) => `'${value}'`).join(' | ') ?? scalar;
  if (column.identity) return `GeneratedAlways<${type}>`;
  if (column.default !== null) return `Generated<${type}>`;
  return column.nullable ? `${type} | null` : type;
}

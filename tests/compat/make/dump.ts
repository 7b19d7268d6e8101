import type pg from 'pg';
import { z } from 'zod';

const table = z.object({ name: z.string() });
const asText = z.object({ rows: z.string() });

/**
 * Every row of every table of the schema `public`, by table, as PostgreSQL's own JSON text. Partitions are left out,
 * because their rows are in the table that they belong to.
 */
export async function dumpRows(client: pg.Client): Promise<Readonly<Record<string, unknown>>> {
  await client.query("set timezone = 'UTC'");
  const tables = await client.query(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const found: Record<string, unknown> = {};
  for (const { name } of tables.rows.map((row) => table.parse(row))) {
    const { rows } = await client.query(
      `select coalesce(jsonb_agg(to_jsonb(t)), '[]')::text as rows from "${name}" t`,
    );
    found[name] = JSON.parse(asText.parse(rows[0]).rows);
  }
  return found;
}

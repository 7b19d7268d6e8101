import { type Kysely, sql } from 'kysely';
import type { Row, Tables } from '../../../platform/db/index.ts';

type Column =
  | 'page_no'
  | 'account_no'
  | 'name'
  | 'path'
  | 'tag_nos'
  | 'access'
  | 'password_hash'
  | 'shows'
  | 'notes'
  | 'logo'
  | 'accent_light'
  | 'accent_dark'
  | 'footer';

/** A status page with what is needed to show it. */
export interface ReadPage extends Pick<Row<'pages'>, Column> {
  readonly timezone: string;
  /** Its tags that are still there, by name. */
  readonly tags: readonly { readonly tag_id: string; readonly name: string }[];
}

/** The status page at this path. */
export async function readPage(kysely: Kysely<Tables>, path: string): Promise<ReadPage | undefined> {
  const { rows } = await sql<ReadPage>`
    select p.page_no, p.account_no, p.name, p.path, p.tag_nos, p.access, p.password_hash, p.shows, p.notes, p.logo,
      p.accent_light, p.accent_dark, p.footer, a.timezone,
      coalesce((select jsonb_agg(jsonb_build_object('tag_id', t.tag_id, 'name', t.name) order by t.name)
        from tags t where t.tag_no = any (p.tag_nos)), '[]'::jsonb) as tags
    from pages p join accounts a using (account_no) where p.path = ${path}`.execute(kysely);
  return rows[0];
}

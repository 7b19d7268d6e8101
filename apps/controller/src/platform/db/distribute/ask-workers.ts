import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';
import { historyFunctions, isDistributed, propagation } from './history-tables.ts';

/** Around the text that stands for the view in a function that was rewritten. */
const [begin, end] = ['/* the view checks, of one device: */', '/* end of the view */'];
const written = /\/\* the view checks, of one device: \*\/[\s\S]*?\/\* end of the view \*\//g;

/**
 * Rewrites the functions of the history, so that each call asks the worker of its device: as plpgsql, with the text
 * that they have in SQL, and with the view `checks` as it is now. Citus sends a statement to one worker only where each
 * table in it is asked for the device by its number; the view asks `check_facts` for that of the check.
 */
export async function askWorkers(trx: Kysely<Tables>): Promise<void> {
  const { rows: views } = await sql<{ text: string }>`
    select rtrim(pg_get_viewdef('checks'::regclass), ';') as text`.execute(trx);
  const ofDevice = viewOfDevice(views[0]?.text ?? '');
  for (const { name, isOfStatus } of historyFunctions) {
    const { rows } = await sql<{ head: string; source: string; language: string }>`
      select format('create or replace function %I(%s) returns %s language plpgsql stable', p.proname,
        pg_get_function_arguments(p.oid), pg_get_function_result(p.oid)) as head, p.prosrc as source, l.lanname as language
      from pg_proc p join pg_language l on l.oid = p.prolang
      where p.proname = ${name} and p.pronamespace = current_schema()::regnamespace`.execute(trx);
    for (const { head, source, language } of rows) {
      const text =
        language === 'sql'
          ? `begin return query ${source}; ${isOfStatus ? 'exception when connection_exception then return;' : ''} end`
          : source;
      const asked = text
        .replace(written, 'checks')
        .replaceAll(/\bfrom checks c\b/g, () => `from ${ofDevice} c`);
      if (asked !== source) await sql.raw(`${head} as $body$${asked}$body$`).execute(trx);
    }
  }
}

/** The same after a migration, which may have changed the view; nothing where the history is not distributed. */
export async function askWorkersAgain(kysely: Kysely<Tables>): Promise<void> {
  if (!(await isDistributed(kysely))) return;
  await kysely.transaction().execute(async (trx) => {
    await sql.raw(propagation(`'off'`)).execute(trx);
    await askWorkers(trx);
  });
}

/** The view's rows of the device in the parameter `device`. Throws where the view has another form. Pure. */
function viewOfDevice(view: string): string {
  const asked = view.replaceAll('f.device_no = c.device_no', 'f.device_no = device');
  if (asked === view) throw new Error('the view checks does not ask check_facts by the number of the device');
  return `${begin} (${asked} where c.device_no = device) ${end}`;
}

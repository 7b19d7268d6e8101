import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** A request that was sent with an Idempotency-Key: the digests of what names it, and of what else it holds. */
export interface IdempotentRequest {
  readonly accountNo: number;
  readonly request: Buffer;
  readonly content: Buffer;
  /** `request` of the batch of which it is an operation. */
  readonly partOf?: Buffer | undefined;
}

/** The state of a request. */
export interface IdempotencyRecord {
  readonly content: Uint8Array;
  /** null: it runs until `runsUntilUs` at the latest. */
  readonly sealed: Uint8Array | null;
  readonly runsUntilUs: number | null;
}

/** The row of a request that was first sent after `sinceUs`. */
export async function findKept(
  kysely: Kysely<Tables>,
  { accountNo, request }: IdempotentRequest,
  sinceUs: number,
): Promise<IdempotencyRecord | undefined> {
  return kysely
    .selectFrom('kept_answers')
    .select(['content', 'sealed', 'runs_until_us as runsUntilUs'])
    .where('account_no', '=', accountNo)
    .where('request', '=', request)
    .where('created_us', '>', sinceUs)
    .executeTakeFirst();
}

/** Stores an answer, or that the request runs, replacing the row that was there. */
export async function keepAnswer(
  kysely: Kysely<Tables>,
  { accountNo, request, content, partOf }: IdempotentRequest,
  row: { readonly sealed: Buffer | null; readonly runsUntilUs: number | null; readonly nowUs: number },
): Promise<void> {
  const { sealed, runsUntilUs, nowUs } = row;
  await sql`
    insert into kept_answers (account_no, request, content, sealed, size, runs_until_us, part_of, created_us)
    values (${accountNo}, ${request}, ${content}, ${sealed}, ${sealed?.length ?? 0}, ${runsUntilUs}, ${partOf ?? null}, ${nowUs})
    on conflict (account_no, request) do update set answer_no = default, content = excluded.content, sealed = excluded.sealed, size = excluded.size,
      runs_until_us = excluded.runs_until_us, part_of = excluded.part_of, created_us = excluded.created_us`.execute(
    kysely,
  );
}

/** Forgets a request, or as `part_of` the operations of a batch. */
export async function dropRecords(
  kysely: Kysely<Tables>,
  { accountNo, request }: IdempotentRequest,
  by: 'request' | 'part_of',
): Promise<void> {
  await kysely
    .deleteFrom('kept_answers')
    .where('account_no', '=', accountNo)
    .where(by, '=', request)
    .execute();
}

/**
 * Deletes the account's oldest answers over this number or these bytes. Rows that another transaction deletes now are
 * left to it.
 */
export async function dropOldest(
  kysely: Kysely<Tables>,
  accountNo: number,
  most: { readonly answers: number; readonly bytes: number },
): Promise<void> {
  await sql`
    delete from kept_answers where answer_no in (
      select answer_no from kept_answers where account_no = ${accountNo} and answer_no <= (
        select answer_no from (
          select answer_no, row_number() over newest as answers, sum(size) over newest as bytes
          from kept_answers where account_no = ${accountNo} window newest as (order by answer_no desc)) ranked
        where answers > ${most.answers} or bytes > ${most.bytes} order by answer_no desc limit 1)
      for update skip locked)`.execute(kysely);
}

/** Deletes the answers of all accounts that were kept before `beforeUs`. */
export async function deleteOldAnswers(kysely: Kysely<Tables>, beforeUs: number): Promise<void> {
  await sql`delete from kept_answers where created_us < ${beforeUs}`.execute(kysely);
}

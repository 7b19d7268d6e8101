import type { Db } from '@vantage/storage';

/** Whether an account is the operator's: the first one of the installation. */
export async function isOperators({ kysely }: Pick<Db, 'kysely'>, accountNo: number): Promise<boolean> {
  const row = await kysely
    .selectFrom('accounts')
    .select((expression) => expression.fn.min('account_no').as('first'))
    .executeTakeFirst();
  return row?.first === accountNo;
}

import { retryRecords, showQuarantine } from '../../admin/quarantine-command.ts';
import type { CommandGroup } from '../../admin/run-command.ts';
import { countQuarantined, listQuarantined, retryQuarantined } from '../../results/ingest/index.ts';
import { filterOf } from './account-no.ts';

/** The commands on quarantined records. */
export const quarantineCommands: CommandGroup<'quarantine'> = {
  'quarantine.list': async ({ kysely }, { account }) =>
    showQuarantine(await listQuarantined(kysely, await filterOf(kysely, account))),
  'quarantine.retry': async (db, request) => {
    const accountNo = await filterOf(db.kysely, request.account);
    return retryRecords(db, request, { accountNo, retry: retryQuarantined, count: countQuarantined });
  },
};

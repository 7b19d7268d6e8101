import { listAccounts } from '../../access/accounts/account-store.ts';
import { createAccount } from '../../access/accounts/account-write.ts';
import { drop } from '../../admin/command-fault.ts';
import type { CommandGroup } from '../../admin/run-command.ts';
import { defaultLocations } from '../../catalog/devices/referenced-locations.ts';
import type { Operator } from './operator.ts';

/** The commands on accounts. */
export function accountCommands({ change }: Operator): CommandGroup<'accounts'> {
  return {
    'accounts.create': (db, { name, timezone }) =>
      change(db, async (transaction) => {
        const made = await createAccount(transaction, { name, timezone });
        switch (made.kind) {
          case 'unknown-timezone':
            throw drop('bad_timezone', `${timezone} is no IANA time zone (such as Europe/Berlin)`);
          case 'name-taken':
            throw drop('account_exists', `there is an account named ${name} already`);
          case 'created': {
            const defaults = await defaultLocations(transaction.trx, made.accountNo);
            const account = { account_id: made.accountId, name, timezone };
            return { account, has_default_location: defaults.length > 0 };
          }
        }
      }),
    'accounts.list': ({ kysely }) => listAccounts(kysely),
  };
}

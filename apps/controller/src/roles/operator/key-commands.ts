import { issueKey } from '../../access/keys/issue-key.ts';
import { listKeys } from '../../access/keys/key-store.ts';
import { revokeKey } from '../../access/keys/key-write.ts';
import { drop } from '../../admin/command-fault.ts';
import type { CommandGroup } from '../../admin/run-command.ts';
import { accountNoOf, filterOf } from './account-no.ts';
import type { Operator } from './operator.ts';

/** The commands on API keys. */
export function keyCommands({ change }: Operator): CommandGroup<'keys'> {
  return {
    'keys.issue': (db, { account, level, name, basic }) =>
      change(db, async (transaction) => {
        const accountNo = await accountNoOf(transaction.trx, account);
        const { keyId, key } = await issueKey(transaction, { accountNo, level, name, basic });
        return { key_id: keyId, key, level };
      }),
    'keys.list': async ({ kysely }, { account }) => listKeys(kysely, await filterOf(kysely, account)),
    'keys.revoke': (db, { key }) =>
      change(db, async (transaction) => {
        const revoked = await revokeKey(transaction, key);
        switch (revoked.kind) {
          case 'missing':
            throw drop('no_key', `there is no key ${key} in force`);
          case 'ambiguous':
            throw drop('many_keys', `several keys begin with ${key}: give the key_id`);
          case 'revoked':
            return { key_id: revoked.keyId };
        }
      }),
  };
}

import { drop } from '../../admin/command-fault.ts';
import type { CommandGroup } from '../../admin/run-command.ts';
import { listAccountLocations } from '../../catalog/locations/location-store.ts';
import { createLocation } from '../../catalog/locations/location-write.ts';
import { refusalText } from '../../resources/refusal.ts';
import { accountNoOf, filterOf } from './account-no.ts';
import type { Operator } from './operator.ts';

/** The commands on Locations. */
export function locationCommands({ change, clock }: Operator): CommandGroup<'locations'> {
  return {
    'locations.create': (db, { account, name }) =>
      change(db, async (transaction) => {
        const accountNo = await accountNoOf(transaction.trx, account);
        const made = await createLocation(transaction, { accountNo, name, nowUs: clock.nowUs() });
        if (made.kind === 'conflict') throw drop('location_exists', made.message);
        if (made.kind === 'invalid') throw drop('too_many', refusalText(made));
        return { location_id: made.locationId, name };
      }),
    'locations.list': async ({ kysely }, { account }) =>
      listAccountLocations(kysely, await filterOf(kysely, account)),
  };
}

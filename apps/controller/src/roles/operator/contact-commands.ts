import type { OperatorAnswers, OperatorRequests } from '@vantage/domain/operator-commands';
import { createLog } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { openSealer } from '@vantage/storage/secrets/open-sealer';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { drop } from '../../admin/command-fault.ts';
import { contactNote } from '../../admin/contact-note.ts';
import type { CommandGroup } from '../../admin/run-command.ts';
import { sealedAuthorities } from '../../agents/enrol/authorities.ts';
import { addContact } from '../../catalog/contacts/add-contact.ts';
import { findContactsNamed, listAccountContacts } from '../../catalog/contacts/contact-store.ts';
import { settingsInForce } from '../../catalog/installation/installation-settings.ts';
import { readInstallationSettings } from '../../catalog/installation/installation-settings-store.ts';
import { everybody } from '../../catalog/schedules/everybody.ts';
import { sealedRows as sealedCatalog } from '../../catalog/secrets/reseal-store.ts';
import { loadSettings } from '../../config/load-settings.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { refusalText } from '../../resources/refusal.ts';
import { accountNoOf, filterOf } from './account-no.ts';
import type { Operator } from './operator.ts';

/** The commands on contacts. */
export function contactCommands({ change, clock }: Operator): CommandGroup<'contacts'> {
  return {
    'contacts.add': async (db, request) => {
      const sealer = await sealerOf(db, request.secret_key_file);
      return change(db, (transaction) => makeContact(transaction, { sealer, nowUs: clock.nowUs() }, request));
    },
    'contacts.test': (db, request) => testContact({ db, clock }, request),
    'contacts.list': async ({ kysely }, { account }) =>
      listAccountContacts(kysely, await filterOf(kysely, account)),
  };
}

/** The sealer of this database, from the key file of the controllers. */
function sealerOf({ kysely }: Db, file: string): Promise<Sealer> {
  const sealedRows = { ...sealedCatalog, ...sealedAuthorities };
  return openSealer({ kysely, sealedRows, file, keyLost: false, log: createLog('admin', 'silent') });
}

/** Creates a contact that receives all notifications. */
async function makeContact(
  transaction: ChangeTransaction,
  { sealer, nowUs }: { readonly sealer: Sealer; readonly nowUs: number },
  { account, address, name, allow_private }: OperatorRequests['contacts.add'],
): Promise<OperatorAnswers['contacts.add']> {
  const accountNo = await accountNoOf(transaction.trx, account);
  const stored = await readInstallationSettings(transaction.trx, sealer);
  const deps = { sealer, policy: { allowPrivate: allow_private ?? stored.privateWebhooks ?? false } };
  const added = await addContact(transaction, deps, { accountNo, address, name, nowUs });
  if (!('contactId' in added)) throw drop('bad_contact', refusalText(added));
  const { contactId, type, secret } = added;
  const scheduled = contactNote(added.kind, added.address, everybody);
  return { contact_id: contactId, type, address: added.address, secret, ...scheduled };
}

/** Sends a test message, with the settings of the controllers. */
async function testContact(
  { db, clock }: { readonly db: Db } & Pick<Operator, 'clock'>,
  { account, contact }: OperatorRequests['contacts.test'],
): Promise<OperatorAnswers['contacts.test']> {
  const loaded = loadSettings();
  if (!loaded.ok) throw drop('bad_setting', loaded.problems.join('\n'));
  const [found, other] = await findContactsNamed(db.kysely, await accountNoOf(db.kysely, account), contact);
  if (found === undefined)
    throw drop('no_contact', `account ${account} has no contact ${contact}: see "vantage contacts list"`);
  if (other !== undefined)
    throw drop('many_contacts', `several contacts are named ${contact}: give the contact_id`);
  const { createChannels, sendTest } = await import('../../alerts/deliver/index.ts');
  const sealer = await sealerOf(db, loaded.config.secretKeyFile);
  const stored = await readInstallationSettings(db.kysely, sealer);
  const channels = createChannels(settingsInForce(loaded.config, stored));
  const deps = { db, clock, channels, sealer, linkOf: () => '' };
  const sent = await sendTest(deps, found.contact_no, new AbortController().signal);
  const { isDelivered = false, answer = 'the contact was deleted' } = sent ?? {};
  if (!isDelivered) throw drop('not_delivered', `the test message did not arrive: ${answer}`);
  return { contact_id: found.contact_id, name: found.name, answer };
}

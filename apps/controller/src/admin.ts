// This program runs an operator's command: it reads the call from standard input and writes the reply to its output.
// What one command alone needs of certificates and channels is loaded there, because their hundreds of modules are a
// quarter of the time of a start.
import { uptime } from 'node:os';
import { text } from 'node:stream/consumers';
import { readReleaseKey } from '@vantage/domain';
import type { OperatorAnswers, OperatorRequests } from '@vantage/domain/operator-commands';
import { createLog, systemClock } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { theAgentCalled } from './admin/agent-called.ts';
import { awaitTrue } from './admin/await-true.ts';
import { type Commands, runCall } from './admin/commands.ts';
import { contactNote } from './admin/contact-note.ts';
import { databaseCommands } from './admin/database.ts';
import { drop, noAccount } from './admin/fault.ts';
import { provision } from './admin/first-run.ts';
import { openDatabase } from './admin/open-database.ts';
import { thisOperator } from './admin/operator-name.ts';
import { retryRecords, showQuarantine } from './admin/quarantine.ts';
import { showAlerts } from './admin/show-alerts.ts';
import { readAuthorities, sealedAuthorities } from './agents/enrol/authorities.ts';
import { makeMissingParcel, readSignedParcels } from './agents/enrol/parcels.ts';
import { insertRollout } from './agents/upgrades/index.ts';
import { acknowledge, listOpenAlerts } from './alerts/decide/index.ts';
import { findAccountNo, listAccounts } from './catalog/accounts/store.ts';
import { createAccount } from './catalog/accounts/write.ts';
import { findAgentByToken, findAgentsCalled, listAccountAgents } from './catalog/agents/store.ts';
import { upgradeAgents } from './catalog/agents/upgrade.ts';
import {
  changeAgent,
  inviteAgentTo,
  removeAgent,
  revokeAgent,
  type SentAgent,
  unfenceAgent,
} from './catalog/agents/write.ts';
import { type ChangeTransaction, createCatalog } from './catalog/change.ts';
import { addContact } from './catalog/contacts/add-contact.ts';
import { findContactsNamed, listAccountContacts } from './catalog/contacts/store.ts';
import { defaultLocations } from './catalog/devices/references.ts';
import { openFirstAccount } from './catalog/first-account.ts';
import { listKeys } from './catalog/keys/store.ts';
import { issueKey, revokeKey } from './catalog/keys/write.ts';
import { listAccountLocations } from './catalog/locations/store.ts';
import { createLocation } from './catalog/locations/write.ts';
import { everybody } from './catalog/nschedules/everybody.ts';
import { refusalText } from './catalog/refusal.ts';
import { sealedRows as sealedCatalog } from './catalog/secrets/reseal-store.ts';
import { countQuarantined, listQuarantined, retryQuarantined } from './checks/ingest/index.ts';
import { createChangeRecorder } from './observe/audit/record-changes.ts';
import { createHeldClock, followDatabase } from './platform/clocks/index.ts';
import { loadSettings } from './platform/config/load-settings.ts';
import type { Db, Tables } from './platform/db/index.ts';
import { hashCredential } from './platform/secrets/credential.ts';
import { openSealer } from './platform/secrets/open-sealer.ts';
import type { Sealer } from './platform/secrets/seal.ts';
import { recordEvents } from './status/events/record-events.ts';

const clock = createHeldClock(systemClock, () => uptime() * 1000);
const operator = thisOperator(process.env);

/** Runs writers of the catalog in one transaction, as the operator. */
function change<T>(db: Db, work: (transaction: ChangeTransaction) => Promise<T>): Promise<T> {
  const catalog = createCatalog({ db, recordChanges: createChangeRecorder({ clock, operator }) });
  return catalog.change({ kind: 'command-line' }, work);
}

/** The id of the agent that the operator calls so. */
const agentIdOf = async (kysely: Kysely<Tables>, called: string) =>
  theAgentCalled(called, await findAgentsCalled(kysely, called));

/** A command on one agent in one transaction. The work gets the agent's whole id. */
function ofAgent<R extends { readonly agent_id: string }, A>(
  work: (transaction: ChangeTransaction, request: R) => Promise<A>,
): (db: Db, request: R) => Promise<A> {
  return (db, request) =>
    change(db, async (transaction) =>
      work(transaction, { ...request, agent_id: await agentIdOf(transaction.trx, request.agent_id) }),
    );
}

/** Changes an agent; returns the Location that it leaves without one. Throws a Fault when it cannot be done. */
async function alterAgent(transaction: ChangeTransaction, agentId: string, sent: SentAgent) {
  const changed = await changeAgent(transaction, { agentId }, { sent, nowUs: clock.nowUs() });
  if (changed.kind === 'conflict') throw drop('agent_revoked', changed.message);
  if (changed.kind !== 'changed') throw drop('no_location', refusalText(changed));
  return changed.leftWithoutAgent;
}

/** The number of the account with this name or id; throws a Fault that names the accounts there are. */
async function accountNoOf(kysely: Kysely<Tables>, nameOrId: string): Promise<number> {
  const accountNo = await findAccountNo(kysely, nameOrId);
  if (accountNo !== undefined) return accountNo;
  throw noAccount(nameOrId, await listAccounts(kysely));
}

/** The number of the account that a list is limited to; undefined for all accounts. */
const filterOf = async (kysely: Kysely<Tables>, account: string | undefined) =>
  account === undefined ? undefined : accountNoOf(kysely, account);

/** The sealer of this database, from the key file of the controllers. */
function sealerOf({ kysely }: Db, file: string): Promise<Sealer> {
  const sealedRows = { ...sealedCatalog, ...sealedAuthorities };
  return openSealer({ kysely, sealedRows, file, keyLost: false, log: createLog('admin', 'silent') });
}

/** Checks that agents can connect at the address of an invitation; throws a Fault when they cannot. */
async function planFor({ kysely }: Db, request: OperatorRequests['agents.invite']) {
  const { invitationTerms } = await import('./admin/invitation-terms.ts');
  const { planInvitation } = await import('./agents/enrol/index.ts');
  const trusted = (await readAuthorities(kysely)).map(({ certificate }) => certificate);
  const plan = await planInvitation({ ...invitationTerms(request), trusted, clock });
  if (plan.kind === 'ready') return plan;
  if (!plan.isUnreachable) throw drop('endpoint_unnamed', plan.message);
  return { linesFor: () => ({ command: null, commandWget: null }), warnings: [plan.message] };
}

/** Starts a rollout of a version whose signed parcel the controller has. */
async function upgrade(
  db: Db,
  { account, version, of: asked, parcels: folder, release_key: line }: OperatorRequests['agents.upgrade'],
): Promise<OperatorAnswers['agents.upgrade']> {
  const key = readReleaseKey(line ?? '');
  const parcels = key && (await readSignedParcels(folder, key));
  return change(db, async (transaction) => {
    const accountNo = await accountNoOf(transaction.trx, account);
    const of =
      asked.kind === 'agent' ? { ...asked, agentId: await agentIdOf(transaction.trx, asked.agentId) } : asked;
    const upgraded = { accountNo, version, of, nowUs: clock.nowUs() };
    const started = await upgradeAgents(transaction, upgraded, { parcels, startRollout: insertRollout });
    if (started.kind !== 'started') throw drop('not_upgraded', refusalText(started));
    return { version, agents: started.agents, skipped: [...started.skipped] };
  });
}

/** Creates a contact that is notified of everything. */
async function makeContact(
  transaction: ChangeTransaction,
  sealer: Sealer,
  { account, address, name, allow_private }: OperatorRequests['contacts.add'],
): Promise<OperatorAnswers['contacts.add']> {
  const accountNo = await accountNoOf(transaction.trx, account);
  const deps = { sealer, policy: { allowPrivate: allow_private } };
  const added = await addContact(transaction, deps, { accountNo, address, name, nowUs: clock.nowUs() });
  if (!('contactId' in added)) throw drop('bad_contact', refusalText(added));
  const { contactId, type, secret } = added;
  const said = contactNote(added.kind, added.address, everybody);
  return { contact_id: contactId, type, address: added.address, secret, ...said };
}

/** Sends a test message, with the settings that the controllers read too. */
async function testContact(
  db: Db,
  { account, contact }: OperatorRequests['contacts.test'],
): Promise<OperatorAnswers['contacts.test']> {
  const loaded = loadSettings();
  if (!loaded.ok) throw drop('bad_setting', loaded.problems.join('\n'));
  const { allowPrivateWebhooks: allowPrivate, smtpUrl, mailFrom, telegramUrl, secretKeyFile } = loaded.config;
  const [found, other] = await findContactsNamed(db.kysely, await accountNoOf(db.kysely, account), contact);
  if (found === undefined)
    throw drop('no_contact', `account ${account} has no contact ${contact}: see "vantage contacts list"`);
  if (other !== undefined)
    throw drop('many_contacts', `several contacts are named ${contact}: give the contact_id`);
  const { createChannels, sendTest } = await import('./alerts/deliver/index.ts');
  const channels = createChannels({ allowPrivate, smtpUrl, mailFrom, telegramUrl });
  const deps = { db, clock, channels, sealer: await sealerOf(db, secretKeyFile), linkOf: () => '' };
  const sent = await sendTest(deps, found.contact_no, new AbortController().signal);
  const { isDelivered = false, answer = 'the contact was deleted' } = sent ?? {};
  if (!isDelivered) throw drop('not_delivered', `the test message did not arrive: ${answer}`);
  return { contact_id: found.contact_id, name: found.name, answer };
}

/** Acknowledges an alert as the operator, with an entry of the audit. */
async function acknowledgeAlert(
  transaction: ChangeTransaction,
  { account, alert_id: alertId, note }: OperatorRequests['alerts.acknowledge'],
): Promise<OperatorAnswers['alerts.acknowledge']> {
  const accountNo = await accountNoOf(transaction.trx, account);
  const given = { accountNo, alertId, note, by: operator, nowUs: clock.nowUs() };
  const { kind } = await acknowledge(transaction.trx, given);
  if (kind === 'missing') throw drop('no_alert', `account ${account} has no alert ${alertId}`);
  if (kind === 'closed') throw drop('alert_closed', `the alert ${alertId} is closed: its outage is over`);
  const fields = [{ field: 'Acknowledged', old: null, new: { By: given.by, Note: note } }];
  transaction.record({ action: 'update', kind: 'alert', accountNo, id: alertId, fields });
  return { alert_id: alertId, state: 'Acknowledged' };
}

const commands: Commands = {
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
  'contacts.add': async (db, request) => {
    const sealer = await sealerOf(db, request.secret_key_file);
    return change(db, (transaction) => makeContact(transaction, sealer, request));
  },
  'contacts.test': testContact,
  'contacts.list': async ({ kysely }, { account }) =>
    listAccountContacts(kysely, await filterOf(kysely, account)),
  'alerts.list': async ({ kysely }, { account }) =>
    showAlerts(account, await listOpenAlerts(kysely, await accountNoOf(kysely, account), clock.nowUs())),
  'alerts.acknowledge': (db, request) => change(db, (transaction) => acknowledgeAlert(transaction, request)),
  ...databaseCommands,
  'quarantine.list': async ({ kysely }, { account }) =>
    showQuarantine(await listQuarantined(kysely, await filterOf(kysely, account))),
  'quarantine.retry': async (db, request) => {
    const accountNo = await filterOf(db.kysely, request.account);
    return retryRecords(db, request, { accountNo, retry: retryQuarantined, count: countQuarantined });
  },
  'agents.invite': async (db, request) => {
    await makeMissingParcel(request, clock);
    return change(db, async (transaction) => {
      const accountNo = await accountNoOf(transaction.trx, request.account);
      const invited = await inviteAgentTo(transaction, { ...request, accountNo, nowUs: clock.nowUs() });
      if (invited.kind === 'conflict') throw drop('agent_exists', invited.message);
      if (invited.kind === 'invalid') throw drop('no_location', refusalText(invited));
      const { agentId: agent_id, token, expiresUs } = invited;
      const { linesFor, warnings } = await planFor(db, request);
      const { command, commandWget: command_wget } = linesFor(token);
      const given = { agent_id, token, expires: new Date(expiresUs / 1000), warnings: [...warnings] };
      return { ...given, command, command_wget };
    });
  },
  'agents.list': async ({ kysely }, { account }) =>
    listAccountAgents(kysely, await filterOf(kysely, account), clock.nowUs()),
  'agents.revoke': ofAgent(async (transaction, { agent_id: agentId }) => {
    const { kind } = await revokeAgent(transaction, { agentId }, { recordEvents, nowUs: clock.nowUs() });
    if (kind === 'missing') throw drop('no_agent', `there is no agent ${agentId} that is not revoked yet`);
    return { agent_id: agentId };
  }),
  'agents.remove': ofAgent(async (transaction, { agent_id: agentId }) => {
    const removed = await removeAgent(transaction, { agentId }, clock.nowUs());
    if (removed.kind === 'conflict') throw drop('agent_in_force', removed.message);
    return { agent_id: agentId };
  }),
  'agents.rename': ofAgent(async (transaction, request) => {
    await alterAgent(transaction, request.agent_id, { Name: request.name });
    return request;
  }),
  'agents.move': ofAgent(async (transaction, request) => {
    const left = await alterAgent(transaction, request.agent_id, { Location: request.location });
    return { ...request, left_without_agent: left };
  }),
  'agents.upgrade': upgrade,
  'agents.unfence': ofAgent(async (transaction, { agent_id: agentId }) => {
    const { kind } = await unfenceAgent(transaction, { agentId });
    if (kind === 'missing') throw drop('no_agent', `there is no fenced agent ${agentId}`);
    return { agent_id: agentId };
  }),
  'first-run.provision': (db, request) =>
    change(db, async (transaction) =>
      provision(await openFirstAccount(transaction, { recordEvents, clock }), request),
    ),
  'first-run.await-agent': async ({ kysely }, { agent_token, within_ms }) => {
    const hash = hashCredential(agent_token);
    const isConnected = async () => (await findAgentByToken(kysely, hash))?.state === 'Connected';
    return { connected: await awaitTrue(isConnected, within_ms) };
  },
};

const open = (url: string) => openDatabase(url, ({ kysely }) => followDatabase(kysely, clock));
process.stdout.write(JSON.stringify(await runCall(await text(process.stdin), { commands, open })));

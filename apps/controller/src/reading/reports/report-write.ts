import { cleanLine } from '@vantage/domain';
import type { FieldFault } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { namesOfTags, readScope, type Scope } from '../../access/keys/key-scope.ts';
import {
  namedId,
  referenceFault,
  resolveIdentity,
  type SourceIdentity,
  showIdentity,
} from '../../resources/external-key.ts';
import { createResourceWriter } from '../../resources/resource-writer.ts';
import type { SentReport } from './report-fields.ts';
import {
  contactsWithIds,
  deleteReport,
  findReport,
  idsOfContacts,
  insertReport,
  type StoredReport,
  updateReport,
} from './report-store.ts';

/** The settings that a monthly report gets. */
interface ReportSettings extends SourceIdentity {
  readonly name: string;
  readonly tagNos: Scope;
  readonly tagNames: readonly string[] | null;
  readonly contactNos: readonly number[];
  readonly contactIds: readonly string[];
  /** Thousandths of a percent. */
  readonly objective: number | null;
}

interface OpenReport extends StoredReport {
  readonly tagNames: readonly string[] | null;
  readonly contactIds: readonly string[];
}

/** Creates, changes and deletes monthly reports in an open transaction. A refusal names every fault. */
export const reportWriter = createResourceWriter<OpenReport, ReportSettings, SentReport>({
  kind: 'report',
  what: 'monthly report',
  async find(transaction, accountNo, id) {
    const report = await findReport(transaction, accountNo, id);
    if (report === undefined) return undefined;
    const tagNames = await namesOfTags(transaction.trx, report.tag_nos);
    return { ...report, tagNames, contactIds: await idsOfContacts(transaction.trx, report.contact_nos) };
  },
  insert: (transaction, { id, accountNo, ...settings }) =>
    insertReport(transaction, { report_id: id, account_no: accountNo, ...columnsOf(settings) }),
  update: (transaction, { report_no }, settings) => updateReport(transaction, report_no, columnsOf(settings)),
  remove: deleteReport,
  users: async () => [],
  numberOf: ({ report_no }) => report_no,
  settingsOf: ({
    name,
    tag_nos: tagNos,
    tagNames,
    contact_nos: contactNos,
    contactIds,
    objective,
    ...row
  }) => ({
    name,
    tagNos,
    tagNames,
    contactNos,
    contactIds,
    objective,
    ...resolveIdentity({}, { externalKey: row.external_key, source: row.source }),
  }),
  show: ({ name, tagNames, contactIds, objective, ...identity }) => ({
    Name: cleanLine(name),
    Contacts: contactIds,
    Tags: tagNames,
    Objective: objective === null ? null : objective / 1_000,
    ...showIdentity(identity),
  }),
  async resolve({ trx }, accountNo, sent, current) {
    const tags = await readScope(trx, accountNo, sent.Tags);
    const scope = 'scope' in tags ? tags.scope : undefined;
    const tagNos = scope === undefined ? (current?.tagNos ?? null) : scope;
    const named = sent.Contacts === undefined ? undefined : await readContacts(trx, accountNo, sent.Contacts);
    const contactNos = named?.nos ?? current?.contactNos ?? [];
    const { Name, Objective } = sent;
    const stored = current?.name ?? '';
    return {
      settings: {
        name: Name === undefined || (current !== undefined && Name === cleanLine(stored)) ? stored : Name,
        tagNos,
        tagNames: await namesOfTags(trx, tagNos),
        contactNos,
        contactIds: await idsOfContacts(trx, contactNos),
        objective:
          Objective === undefined ? (current?.objective ?? null) : Objective && Math.round(Objective * 1_000),
        ...resolveIdentity(sent, current),
      },
      faults: [...('faults' in tags ? tags.faults : []), ...(named?.faults ?? [])],
    };
  },
});

/** The numbers of the contacts that were sent; a fault names each that is none, or takes no mail. */
async function readContacts(
  trx: Kysely<Tables>,
  accountNo: number,
  sent: readonly string[],
): Promise<{ readonly nos: readonly number[]; readonly faults: readonly FieldFault[] }> {
  const ids = await Promise.all(sent.map((text) => namedId(trx, 'contact', accountNo, text)));
  const known = await contactsWithIds(
    trx,
    accountNo,
    ids.filter((id) => id !== undefined),
  );
  const faults: FieldFault[] = [];
  const nos = sent.flatMap((text, at) => {
    const contact = known.find(({ contact_id }) => contact_id === ids[at]);
    if (contact?.type === 'email') return [contact.contact_no];
    const must = 'the id of a contact of this account, of the Type email';
    faults.push(referenceFault(`Contacts.${at}`, 'contact', must, text));
    return [];
  });
  return { nos: [...new Set(nos)].sort((a, b) => a - b), faults };
}

function columnsOf({ name, tagNos, contactNos, objective, externalKey, source }: ReportSettings) {
  return {
    name,
    objective,
    source,
    tag_nos: tagNos && [...tagNos],
    contact_nos: [...contactNos],
    external_key: externalKey,
  };
}

/** An entry of the audit, as the API shows it. */
export interface RecordedChange {
  readonly Action: 'Create' | 'Update' | 'Delete' | 'Refuse';
  readonly Kind: string;
  readonly Id: string;
  readonly Changes: readonly {
    readonly Field: string;
    readonly Old?: unknown;
    readonly New?: unknown;
  }[];
}

/** The lists of things with names that entries of the audit contain as ids. Devices and Locations are known already. */
export type NamedList =
  | 'agents'
  | 'contacts'
  | 'hooks'
  | 'keys'
  | 'mschedules'
  | 'nschedules'
  | 'pages'
  | 'reports'
  | 'secrets'
  | 'tags'
  | 'users';

const listOfKind: Readonly<Partial<Record<string, NamedList>>> = {
  agent: 'agents',
  contact: 'contacts',
  hook: 'hooks',
  key: 'keys',
  mschedule: 'mschedules',
  nschedule: 'nschedules',
  page: 'pages',
  report: 'reports',
  secret: 'secrets',
  tag: 'tags',
  user: 'users',
};
const listOfField: Readonly<Partial<Record<string, NamedList>>> = {
  agent_id: 'agents',
  contact_id: 'contacts',
  Contacts: 'contacts',
  Steps: 'contacts',
  mschedule_id: 'mschedules',
  nschedule_id: 'nschedules',
  Tags: 'tags',
  Tag: 'tags',
  tag_id: 'tags',
  user_id: 'users',
};

/** The lists that have the names for these entries: only these are read. Pure. */
export function listsFor(entries: readonly RecordedChange[]): ReadonlySet<NamedList> {
  const fields = entries.flatMap(({ Changes }) => Changes.map(({ Field }) => listOfField[Field]));
  const kinds = entries.map(({ Kind }) => listOfKind[Kind]);
  return new Set([...fields, ...kinds].filter((list) => list !== undefined));
}

const fieldWords: Readonly<Partial<Record<string, string>>> = {
  agent_id: 'Agent',
  contact_id: 'Contact',
  device_id: 'Device',
  device_master_id: 'Master',
  FullName: 'Full name',
  ShortName: 'Short name',
  location_id: 'Location',
  mschedule_id: 'Maintenance schedule',
  nschedule_id: 'Notification schedule',
  FrequencySeconds: 'Frequency in seconds',
  RetryDelay: 'Retry delay',
  ExpiryWarningDays: 'Days of expiry warnings',
  ExternalKey: 'External key',
  DefaultLocations: 'Default Locations',
  tag_id: 'Tag',
  user_id: 'Person',
};

/** The name of a field as people know it. Pure. */
export function fieldName(field: string): string {
  return fieldWords[field] ?? field;
}

/** An entry, or several successive sign-ins and sign-outs that are shown as one line. */
export type AuditRow<Entry> =
  | { readonly what: 'entry'; readonly entry: Entry }
  | { readonly what: 'sessions'; readonly entries: readonly Entry[] };

/** Joins successive sign-ins and sign-outs. Refused sign-ins are never joined. Pure. */
export function foldSessions<Entry extends Pick<RecordedChange, 'Kind' | 'Action'>>(
  entries: readonly Entry[],
): readonly AuditRow<Entry>[] {
  const rows: AuditRow<Entry>[] = [];
  let run: Entry[] = [];
  const close = () => {
    const [only] = run;
    if (only !== undefined)
      rows.push(run.length === 1 ? { what: 'entry', entry: only } : { what: 'sessions', entries: run });
    run = [];
  };
  for (const entry of entries)
    if (entry.Kind === 'session' && entry.Action !== 'Refuse') run.push(entry);
    else {
      close();
      rows.push({ what: 'entry', entry });
    }
  close();
  return rows;
}

import { hash } from 'node:crypto';
import { cleanLine } from '@vantage/domain';
import { createSemaphore, declareShare, type FieldFault } from '@vantage/kernel';
import { hashPassword, verifyPassword } from '@vantage/storage/secrets/password';
import { namesOfTags, readScope, type Scope } from '../../access/keys/key-scope.ts';
import { resolveIdentity, type SourceIdentity, showIdentity } from '../../resources/external-key.ts';
import { createResourceWriter } from '../../resources/resource-writer.ts';
import { readLogo } from './logo.ts';
import { type PagePart, type pageAccess, pageParts, type SentPage } from './status-page-fields.ts';
import { readNotes, type StoredNote } from './status-page-notes.ts';
import {
  accentOf,
  deletePage,
  findPage,
  insertPage,
  isPathTaken,
  type PageColumns,
  type StoredPage,
  updatePage,
} from './status-page-store.ts';

declareShare({
  name: 'hashes_of_pages_that_are_written',
  limit: '1 computed, 4 wait',
  filledBy: 'keys (UW)',
  share: '2, because an account has 2 changes in work',
});

/** The settings that a status page gets. */
interface PageSettings extends SourceIdentity {
  readonly name: string;
  readonly path: string;
  readonly tagNos: Scope;
  readonly tagNames: readonly string[] | null;
  readonly access: (typeof pageAccess)[number];
  readonly passwordHash: string | null;
  readonly shows: readonly PagePart[];
  readonly notes: readonly StoredNote[];
  readonly logo: Buffer | null;
  readonly accent: { readonly Light: string; readonly Dark: string } | null;
  readonly footer: string | null;
}

interface OpenPage extends StoredPage {
  readonly tagNames: readonly string[] | null;
}

/** Creates, changes and deletes status pages in an open transaction. A refusal names every fault. */
export const pageWriter = createResourceWriter<OpenPage, PageSettings, SentPage>({
  kind: 'page',
  what: 'status page',
  async find(transaction, accountNo, id) {
    const page = await findPage(transaction, accountNo, id);
    return page && { ...page, tagNames: await namesOfTags(transaction.trx, page.tag_nos) };
  },
  insert: (transaction, { id, accountNo, ...settings }) =>
    insertPage(transaction, { page_id: id, account_no: accountNo, ...columnsOf(settings) }),
  update: (transaction, { page_no }, settings) => updatePage(transaction, page_no, columnsOf(settings)),
  remove: deletePage,
  users: async () => [],
  numberOf: ({ page_no }) => page_no,
  settingsOf,
  show: ({ name, path, tagNames, access, shows, notes, logo, accent, footer, ...identity }) => ({
    Name: cleanLine(name),
    Path: path,
    Tags: tagNames,
    Access: access,
    Show: Object.fromEntries(pageParts.map((part) => [part, shows.includes(part)])),
    Notes: notes.map(({ AtUs, Kind, Text }) => ({ At: new Date(AtUs / 1000).toISOString(), Kind, Text })),
    Logo: logo && `${logo.length} bytes, SHA-256 ${hash('sha256', logo)}`,
    Accent: accent && { ...accent },
    Footer: footer,
    ...showIdentity(identity),
  }),
  async conflict(transaction, { path }, pageNo) {
    if (!(await isPathTaken(transaction, path, pageNo))) return undefined;
    const taken = 'is the path of another status page';
    return {
      kind: 'conflict',
      reason: 'path_taken',
      message: `Path ${path} ${taken}. Choose another one.`,
      faults: [{ field: 'Path', message: `${taken}; choose another one` }],
    };
  },
  hidden: ({ passwordHash }) => ({ Password: passwordHash }),
  async resolve(transaction, accountNo, sent, current) {
    const tags = await readScope(transaction.trx, accountNo, sent.Tags);
    const scope = 'scope' in tags ? tags.scope : undefined;
    const tagNos = scope === undefined ? (current?.tagNos ?? null) : scope;
    const { name = '', path = '', access = 'Public', shows = [], notes = [] } = current ?? {};
    const { logo = null, accent = null, footer = null } = current ?? {};
    const isSameName = sent.Name === undefined || (current !== undefined && sent.Name === cleanLine(name));
    const hashed = await hashOf(sent.Password, current?.passwordHash ?? null);
    const settings = {
      name: isSameName ? name : (sent.Name ?? name),
      path: sent.Path ?? path,
      tagNos,
      tagNames: await namesOfTags(transaction.trx, tagNos),
      access: sent.Access ?? access,
      passwordHash: hashed?.value ?? null,
      shows: sent.Show === undefined ? shows : pageParts.filter((part) => sent.Show?.[part]),
      notes: sent.Notes === undefined ? notes : sortedNotes(sent.Notes),
      logo: sent.Logo === undefined ? logo : bytesOf(sent.Logo),
      accent: sent.Accent === undefined ? accent : sent.Accent,
      footer: sent.Footer === undefined ? footer : sent.Footer,
      ...resolveIdentity(sent, current),
    };
    const faults: FieldFault[] = 'faults' in tags ? [...tags.faults] : [];
    if (hashed === undefined)
      faults.push({
        field: 'Password',
        message: 'cannot be set while many others are set; send the request again in a moment',
      });
    else if (settings.access === 'Password' && settings.passwordHash === null)
      faults.push({ field: 'Password', message: 'is required for the Access Password: 8 to 200 characters' });
    return { settings, faults };
  },
});

/** Each hash takes 16 MiB and a processor for 50 ms, while the account is locked. */
const places = createSemaphore({ running: 1, waiting: 4 });

/**
 * The hash of a password; the stored one where it is the same password, because each hash is different. Undefined: too
 * many wait.
 */
async function hashOf(
  sent: string | null | undefined,
  stored: string | null,
): Promise<{ readonly value: string | null } | undefined> {
  if (sent === undefined || sent === null) return { value: sent === undefined ? stored : null };
  return places.run(async () =>
    stored !== null && (await verifyPassword(sent, stored)) ? stored : hashPassword(sent),
  );
}

/** The bytes of a logo as it was sent: its field was validated. */
function bytesOf(sent: string | null): Buffer | null {
  const logo = sent === null ? null : readLogo(sent);
  return typeof logo === 'string' ? null : (logo?.bytes ?? null);
}

function sortedNotes(sent: NonNullable<SentPage['Notes']>): readonly StoredNote[] {
  return sent
    .map(({ At, Kind, Text }) => ({ AtUs: Date.parse(At) * 1000, Kind, Text }))
    .sort((a, b) => b.AtUs - a.AtUs);
}

function settingsOf(page: OpenPage): PageSettings {
  const { name, path, tag_nos: tagNos, tagNames, access, password_hash } = page;
  return {
    name,
    path,
    tagNos,
    tagNames,
    access,
    passwordHash: password_hash,
    shows: pageParts.filter((part) => page.shows.includes(part)),
    notes: readNotes(page.notes),
    logo: page.logo && Buffer.from(page.logo),
    accent: accentOf(page),
    footer: page.footer,
    ...resolveIdentity({}, { externalKey: page.external_key, source: page.source }),
  };
}

function columnsOf(settings: PageSettings): PageColumns {
  const { name, path, tagNos, access, passwordHash, shows, notes, externalKey, source } = settings;
  const { logo, accent, footer } = settings;
  return {
    name,
    path,
    access,
    password_hash: passwordHash,
    external_key: externalKey,
    source,
    tag_nos: tagNos && [...tagNos],
    shows: [...shows],
    notes: JSON.stringify(notes),
    logo,
    accent_light: accent?.Light ?? null,
    accent_dark: accent?.Dark ?? null,
    footer,
  };
}

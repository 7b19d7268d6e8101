import { newId } from '@vantage/kernel';
import type { Route } from '@vantage/rest-kit/route';
import { createFixtures } from '@vantage/testing/fixtures';
import { z } from 'zod';
import type { Caller } from './callers.ts';
import type { RestFixture } from './rest-fixture.ts';
import {
  addMaintenance,
  type SampleAccount,
  sampleContact,
  sampleHook,
  sampleMschedule,
  samplePage,
} from './sample-account.ts';
import { addUser } from './sample-keys.ts';

/** Fields with which each route does its work; a Name is anew in each request, because names are unique. */
const bodies: Readonly<Record<string, object>> = {
  'POST /devices': { Method: 'TCP', URL: 'example.org:80', ShortName: 'new' },
  'PUT /devices': { Method: 'TCP', URL: 'example.org:80', ShortName: 'keyed' },
  'POST /batch': { Operations: [{ Method: 'GET', Path: '/tags' }] },
  'POST /devices/change': { Filter: {}, Maintenance: null },
  'POST /tags': { Name: 'new' },
  'POST /keys': { Name: 'new', Level: 'UR' },
  'POST /users': { Name: 'new', Level: 'UR' },
  'POST /marks': { Kind: 'Note', Text: 'new' },
  'POST /secrets': { Name: 'new', Value: 'v' },
  'POST /locations': { Name: 'new' },
  'POST /reports': { Name: 'new', Contacts: ['key:reader'] },
  'POST /pages': { Name: 'new' },
  'POST /contacts': { ...sampleContact, Name: 'new' },
  'POST /hooks': { ...sampleHook, Name: 'new' },
  'POST /mschedules': { ...sampleMschedule, Name: 'new' },
  'POST /nschedules': { Name: 'new', Steps: [] },
  'POST /nschedules/preview': { Steps: [] },
  'POST /mschedules/preview': { Start: '2026-01-04T02:30', Duration: '02:00' },
  'POST /checks/trial': { Method: 'TCP', URL: 'example.org:9' },
  'POST /checks/offer': { Method: 'SNMP', URL: '192.0.2.2' },
  'POST /agents/invitations': { Location: 'local' },
  'PUT /tags/{tag_id}': { Name: 'other' },
  'PUT /account': {},
  'PUT /installation/settings': {},
  'POST /installation/settings/test': { MailServer: { Host: 'localhost' }, To: 'noc@example.org' },
  'PUT /alerts/{alert_id}/snooze': { Duration: '01:00' },
  'PUT /alerts/acknowledge': { Filter: {} },
  'PUT /alerts/snooze': { Filter: {}, Duration: '01:00' },
  'PUT /agents/{agent_id}': { Name: 'other' },
  'PUT /agents/{agent_id}/upgrade': { Version: '0.3.0' },
  'POST /agents/upgrade': { Version: '0.3.0', Preview: true },
  'POST /imports/plan': { Format: 'csv', Files: [{ Name: 'a.csv', Text: 'URL\nhttps://a.example/' }] },
  'PUT /agents/{agent_id}/retry-quarantine': { Reason: 'too old' },
};
/** A limited caller creates these with tags of their own only. */
const tagged = ['POST /devices', 'PUT /devices', 'POST /keys', 'POST /users', 'POST /marks'];

/**
 * Builds the request of a caller to a route. What a good request deletes is created for it, so that the others find
 * what they name.
 */
export type RequestMaker = (
  route: Route,
  caller: Pick<Caller, 'ids' | 'tags'>,
  isGood: boolean,
) => Promise<{ readonly path: string; readonly body: { readonly body?: object } }>;

/** Creates it for an account with its sample. `tags` are those of limited callers. */
export function requestMaker(
  rest: RestFixture,
  account: {
    readonly accountNo: number;
    readonly locationNo: number;
    readonly key: string;
    readonly mine: SampleAccount;
    readonly tags: readonly string[];
  },
): RequestMaker {
  const makers = makersOf(rest, account);
  return async (route, { ids, tags }, isGood) => {
    const name = `${route.method} ${route.path}`;
    const [last = ''] = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => id).slice(-1);
    const make = route.method === 'DELETE' && isGood ? makers[last] : undefined;
    const sent = make === undefined ? ids : { ...ids, [last]: await make(tags) };
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, id: string) => sent[id] ?? newId());
    // What another caller's key names may be outside of this one's limit.
    const query = name === 'PUT /devices' ? `?ExternalKey=${tags?.join('-') ?? 'all'}` : '';
    // A mark is about something: of a caller without a limit, about a tag that each account has.
    const named = name === 'POST /marks' ? (tags ?? account.tags.slice(0, 1)) : tags;
    return { path: path + query, body: bodyOf(name, named) };
  };
}

function bodyOf(name: string, tags: readonly string[] | undefined): { readonly body?: object } {
  const fields = bodies[name];
  if (fields === undefined) return {};
  const fresh = newId();
  return {
    body: {
      ...fields,
      ...('Name' in fields ? { Name: fresh } : {}),
      ...(name === 'POST /users' ? { Email: `${fresh}@example.org` } : {}),
      ...(name === 'POST /pages' ? { Path: fresh.slice(0, 20) } : {}),
      ...(tags !== undefined && tagged.includes(name) ? { Tags: tags } : {}),
    },
  };
}

/** Creates a thing of the account to be deleted, with these tags where it can have some, and returns the id. */
type Maker = (tags: readonly string[] | undefined) => Promise<string>;

function makersOf(
  rest: RestFixture,
  { accountNo, locationNo, key, mine, tags: all }: Parameters<typeof requestMaker>[1],
): Readonly<Record<string, Maker>> {
  const create = async (path: string, body: object) => {
    const { json } = await rest.send('POST', path, { key, body });
    return Object.values(z.record(z.string(), z.string()).parse(json))[0] ?? '';
  };
  const Name = () => `to go ${newId()}`;
  const narrow = async (keyNo: number, tags: readonly string[] | undefined) => {
    if (tags === undefined) return;
    const rows = await rest.db.kysely
      .selectFrom('tags')
      .select('tag_no')
      .where('account_no', '=', accountNo)
      .where('name', 'in', tags)
      .execute();
    const tag_nos = rows.map(({ tag_no }) => tag_no);
    await rest.db.kysely.updateTable('api_keys').set({ tag_nos }).where('key_no', '=', keyNo).execute();
  };
  return {
    device_id: () =>
      create('/devices', { Method: 'TCP', URL: 'example.org:80', ShortName: 'to-go', Tags: all }),
    tag_id: () => create('/tags', { Name: Name() }),
    contact_id: () => create('/contacts', { ...sampleContact, Name: Name() }),
    mschedule_id: () => create('/mschedules', { ...sampleMschedule, Name: Name() }),
    nschedule_id: () => create('/nschedules', { Name: Name(), Steps: [] }),
    hook_id: () => create('/hooks', { ...sampleHook, Name: Name() }),
    report_id: () => create('/reports', { Name: Name(), Contacts: ['key:reader'] }),
    page_id: () => create('/pages', { ...samplePage, Name: Name(), Path: newId().slice(0, 20) }),
    location_id: () => create('/locations', { Name: Name() }),
    secret_id: () => create('/secrets', { Name: `to-go-${newId().slice(0, 20)}`, Value: 'v' }),
    mark_id: (tags) => create('/marks', { Kind: 'Note', Text: 'to go', Tags: tags ?? all }),
    maintenance_id: () => addMaintenance(rest, mine.deviceNo),
    user_id: (tags) => addUser(rest, accountNo, (keyNo) => narrow(keyNo, tags)),
    async key_id(tags) {
      const { keyId, keyNo } = await rest.key(accountNo, 'UR');
      await narrow(keyNo, tags);
      return keyId;
    },
    async agent_id() {
      const agent_id = newId();
      await createFixtures(rest.db.kysely).agent({ accountNo, locationNo }, { agent_id });
      return agent_id;
    },
  };
}

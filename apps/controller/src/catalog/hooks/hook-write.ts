import type { AddressPolicy } from '@vantage/alerts';
import { cleanLine } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { type ClearContact, openContact, sealContact } from '@vantage/storage/secrets/sealed-contact';
import type { Kysely } from 'kysely';
import { namesOfTags, readScope } from '../../access/keys/key-scope.ts';
import { resolveIdentity, type SourceIdentity, showIdentity } from '../../resources/external-key.ts';
import { createResourceWriter } from '../../resources/resource-writer.ts';
import { resolveContact } from '../contacts/contact-settings.ts';
import type { SentHook } from './hook-fields.ts';
import { deleteHook, findHook, insertHook, type StoredHook, updateHook } from './hook-store.ts';

/** The settings that a hook gets. */
interface HookSettings extends SourceIdentity {
  readonly name: string;
  readonly address: string;
  readonly types: readonly string[] | null;
  readonly tagNo: number | null;
  readonly tagName: string | null;
  /** undefined: its key is lost. */
  readonly clear: ClearContact | undefined;
}

/** A hook with what is needed to show a change of it. */
interface OpenHook extends StoredHook {
  readonly tagName: string | null;
}

/** Creates, changes and deletes hooks in an open transaction. A refusal names every fault. */
export function createHookWriter({
  sealer,
  policy,
}: {
  readonly sealer: Sealer;
  readonly policy: AddressPolicy;
}) {
  return createResourceWriter<OpenHook, HookSettings, SentHook>({
    kind: 'hook',
    what: 'hook',
    async find(transaction, accountNo, id) {
      const hook = await findHook(transaction, accountNo, id);
      return hook && { ...hook, tagName: await nameOfTag(transaction.trx, hook.tag_no) };
    },
    insert: (transaction, { id, accountNo, ...settings }) =>
      insertHook(transaction, { hook_id: id, account_no: accountNo, ...columnsOf(sealer, id, settings) }),
    update: (transaction, { hook_no, hook_id }, settings) =>
      updateHook(transaction, hook_no, columnsOf(sealer, hook_id, settings)),
    remove: deleteHook,
    users: async () => [],
    numberOf: ({ hook_no }) => hook_no,
    settingsOf: (hook) => settingsOf(sealer, hook),
    show: ({ name, address, types, tagName, ...identity }) => ({
      Name: cleanLine(name),
      Address: address,
      Events: types,
      Tag: tagName,
      ...showIdentity(identity),
    }),
    // An address with other credentials is shown as before.
    hidden: ({ clear }) => ({ Secret: clear?.secret ?? null, Address: clear?.address ?? null }),
    async resolve({ trx }, accountNo, sent, current) {
      const contact = resolveContact(
        'webhook',
        { Name: sent.Name, Address: sent.Address, Secret: sent.Secret },
        current && { ...current, notify: null, options: null, shadow: false },
        policy,
      );
      const tag = await readScope(trx, accountNo, sent.Tag == null ? sent.Tag : [sent.Tag]);
      const faults = 'faults' in tag ? tag.faults.map((each) => ({ ...each, field: 'Tag' })) : [];
      const scope = 'scope' in tag ? tag.scope : undefined;
      const tagNo = scope === undefined ? (current?.tagNo ?? null) : (scope?.[0] ?? null);
      const { name, address, clear } = contact.settings;
      return {
        settings: {
          name,
          address,
          clear,
          types:
            sent.Events === undefined ? (current?.types ?? null) : sent.Events && [...new Set(sent.Events)],
          tagNo,
          tagName: await nameOfTag(trx, tagNo),
          ...resolveIdentity(sent, current),
        },
        faults: [...contact.faults, ...faults],
      };
    },
  });
}

async function nameOfTag(trx: Kysely<Tables>, tagNo: number | null): Promise<string | null> {
  const names = tagNo === null ? null : await namesOfTags(trx, [tagNo]);
  return names?.[0] ?? null;
}

function settingsOf(sealer: Sealer, hook: OpenHook): HookSettings {
  const { name, address, types, tag_no: tagNo, tagName } = hook;
  const identity = resolveIdentity({}, { externalKey: hook.external_key, source: hook.source });
  return { name, address, types, tagNo, tagName, ...identity, clear: openOrLost(sealer, hook) };
}

function openOrLost(sealer: Sealer, { hook_id, sealed }: StoredHook): ClearContact | undefined {
  try {
    return openContact(sealer, hook_id, sealed);
  } catch {
    return undefined;
  }
}

function columnsOf(sealer: Sealer, hookId: string, settings: HookSettings) {
  const { name, address, types, tagNo, externalKey, source, clear } = settings;
  const known = clear ?? { address, secret: null, previousSecret: null };
  return {
    name,
    address,
    tag_no: tagNo,
    external_key: externalKey,
    source,
    types: types && [...types],
    sealed: sealContact(sealer, hookId, known),
  };
}

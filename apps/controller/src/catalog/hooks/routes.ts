import { cleanLine } from '@vantage/domain';
import { eventTypes } from '@vantage/health';
import type { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import type { Sealer } from '../../platform/secrets/seal.ts';
import { showUpdated } from '../../rest/http/field.ts';
import type { Route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog } from '../change.ts';
import { showRowIdentity } from '../external-key.ts';
import { type ResourcePage, resourceRoutes } from '../resource-routes.ts';
import { hookCreate, hookFull, hookReadOnly, hookUpdate } from './fields.ts';
import { type HookRow, listHooks } from './store.ts';
import { createHookWriter } from './write.ts';

const names = { tag: 'Hooks', what: 'hook' as const, root: 'hook', id: 'hook_id' } as const;

const texts = {
  create: {
    summary: 'Creates a hook: an address to which every event is posted.',
    description:
      'It gets the events that are recorded from now on, signed as Standard Webhooks 1.0 says. An event comes at least once: the header webhook-id is its event_id. What is not accepted is tried again for 72 hours. Addresses in private networks, and plain HTTP, need the permission of the operator.',
  },
  list: { summary: 'Lists hooks by name.' },
  read: { summary: 'A hook without its secret, and how its deliveries go.' },
  change: { summary: 'Changes a hook: what is absent stays.' },
  remove: { summary: 'Deletes a hook. Events that it has not got are not sent.' },
} as const;

/** Creating, listing, reading, changing and deleting hooks. */
export function hookRoutes({
  db,
  catalog,
  sealer,
  allowPrivateWebhooks,
}: {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly sealer: Sealer;
  readonly allowPrivateWebhooks: boolean;
}): Route[] {
  const list = (accountNo: number, page: ResourcePage) => listHooks(db, accountNo, page);
  const write = createHookWriter({ sealer, policy: { allowPrivate: allowPrivateWebhooks } });
  return resourceRoutes({
    names,
    texts,
    catalog,
    list,
    show,
    write,
    create: hookCreate,
    update: hookUpdate,
    full: hookFull,
    readOnly: hookReadOnly,
  });
}

function show(row: HookRow, { zone }: Session): z.input<typeof hookFull> {
  const moment = (us: number | null) => (us === null ? null : zone.format(us));
  return {
    hook_id: row.hook_id,
    Name: cleanLine(row.name),
    Address: row.address,
    Events: row.types && eventTypes.filter((type) => row.types?.includes(type)),
    Tag: row.tag_id === null ? null : { tag_id: row.tag_id, Name: cleanLine(row.tag_name ?? '') },
    ...showRowIdentity(row),
    FailingSince: moment(row.failing_since_us),
    LastDelivered: moment(row.delivered_us),
    LastAnswer: row.last_answer,
    GivenUp: row.given_up ?? 0,
    ...showUpdated(row.updated_us, zone),
    CreatedAt: zone.format(row.created_us),
  };
}

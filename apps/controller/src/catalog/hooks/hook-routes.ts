import type { AddressPolicy } from '@vantage/alerts';
import { cleanLine } from '@vantage/domain';
import { eventTypes } from '@vantage/health';
import { showUpdated } from '@vantage/rest-kit/field';
import type { Route } from '@vantage/rest-kit/route';
import type { Session } from '@vantage/rest-kit/session';
import type { Sealer } from '@vantage/storage/secrets/seal';
import type { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { showRowIdentity } from '../../resources/external-key.ts';
import { resourceRoutes } from '../../resources/resource-routes.ts';
import { hookCreate, hookFull, hookReadOnly, hookUpdate } from './hook-fields.ts';
import { type HookRow, listHooks } from './hook-store.ts';
import { createHookWriter } from './hook-write.ts';

const names = { tag: 'Hooks', what: 'hook' as const, root: 'hook', id: 'hook_id' } as const;

const texts = {
  create: {
    summary: 'Creates a hook: an address to which every event is posted.',
    description:
      'It gets the events that are recorded from now on, signed as Standard Webhooks 1.0 says. An event comes at least once: the header webhook-id is its event_id. An event that is not accepted is sent again for 72 hours. Addresses in private networks, and plain HTTP, need the permission of the operator.',
  },
  list: { summary: 'Lists hooks by name.' },
  read: { summary: 'A hook without its secret, and how its deliveries go.' },
  change: { summary: 'Changes a hook: what is absent stays.' },
  remove: { summary: 'Deletes a hook. Events that it has not got are not sent.' },
} as const;

/** Creating, listing, reading, changing and deleting hooks. */
export function hookRoutes({
  catalog,
  sealer,
  installation,
}: {
  readonly catalog: Catalog;
  readonly sealer: Sealer;
  readonly installation: { readonly inForce: AddressPolicy };
}): Route[] {
  const write = createHookWriter({ sealer, policy: installation.inForce });
  return resourceRoutes({
    limitedCallers: 'refused',
    names,
    texts,
    catalog,
    list: listHooks,
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

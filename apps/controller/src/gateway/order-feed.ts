import { create } from '@bufbuild/protobuf';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { type Assignment, type Order, Order_Kind, OrderSchema } from '@vantage/proto';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/index.ts';
import type { AssignmentBuilder, SecretLookup } from './assignment.ts';
import { loadBorrowed } from './plan-store.ts';
import { type KnownAgent, markSent, type OpenOrder, openOrders } from './store.ts';

/** Orders of one session's agent. */
export interface OrderFeed {
  /** Those that this session has not been given yet. A new session gets all that are open again: the agent knows what it did. */
  next(): Promise<Order[]>;
}

const kinds: Record<OpenOrder['kind'], Order_Kind> = {
  Retry: Order_Kind.RETRY,
  Now: Order_Kind.NOW,
  ChainTaken: Order_Kind.CHAIN_TAKEN,
};

/** Makes the feed of one session. An order for a device that another agent of the Location holds brings its settings along. */
export function createOrderFeed({
  kysely,
  clock,
  log,
  agent,
  build,
  secretsNow,
}: {
  readonly kysely: Kysely<Tables>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly agent: KnownAgent;
  readonly build: AssignmentBuilder;
  /** A fresh lookup of the account's secrets. */
  readonly secretsNow: () => SecretLookup;
}): OrderFeed {
  let given = new Set<string>();

  const borrowed = async (order: OpenOrder, secrets: SecretLookup): Promise<Assignment | undefined> => {
    if (order.holds || order.kind === 'ChainTaken') return undefined;
    const device = await loadBorrowed(kysely, agent, order.device_no);
    if (device === undefined) return undefined;
    try {
      return (await build(device, secrets)).assignment;
    } catch (error) {
      log.error(
        { deviceNo: order.device_no, error: messageOf(error) },
        'a device cannot be lent to an agent',
      );
      return undefined;
    }
  };

  return {
    async next() {
      const open = await openOrders(kysely, agent.agentNo, clock.nowUs());
      const fresh = open.filter((order) => !given.has(order.order_id));
      const secrets = secretsNow();
      const orders: Order[] = [];
      for (const order of fresh) orders.push(toWire(order, await borrowed(order, secrets)));
      given = new Set(open.map((order) => order.order_id));
      if (fresh.length > 0)
        await markSent(
          kysely,
          fresh.map((order) => order.order_id),
          clock.nowUs(),
        );
      return orders;
    },
  };
}

function toWire(order: OpenOrder, assignment: Assignment | undefined): Order {
  return create(OrderSchema, {
    orderId: order.order_id,
    kind: kinds[order.kind],
    deviceNo: order.device_no,
    revision: order.revision,
    notBeforeUs: BigInt(order.not_before_us),
    chainId: order.chain_id ?? '',
    attempt: order.attempt,
    ...(assignment && { assignment }),
  });
}

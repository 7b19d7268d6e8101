import { create } from '@bufbuild/protobuf';
import type { Clock } from '@vantage/kernel';
import { type Order, Order_Kind, OrderSchema } from '@vantage/proto';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/index.ts';
import { markSent, type OpenOrder, openOrders } from './store.ts';

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

/** Makes the feed of one session. */
export function createOrderFeed({
  kysely,
  clock,
  agentNo,
}: {
  readonly kysely: Kysely<Tables>;
  readonly clock: Clock;
  readonly agentNo: number;
}): OrderFeed {
  let given = new Set<string>();
  return {
    async next() {
      const open = await openOrders(kysely, agentNo, clock.nowUs());
      const fresh = open.filter((order) => !given.has(order.order_id));
      given = new Set(open.map((order) => order.order_id));
      if (fresh.length > 0)
        await markSent(
          kysely,
          fresh.map((order) => order.order_id),
          clock.nowUs(),
        );
      return fresh.map(toWire);
    },
  };
}

function toWire(order: OpenOrder): Order {
  return create(OrderSchema, {
    orderId: order.order_id,
    kind: kinds[order.kind],
    deviceNo: order.device_no,
    revision: order.revision,
    notBeforeUs: BigInt(order.not_before_us),
    chainId: order.chain_id ?? '',
    attempt: order.attempt,
  });
}

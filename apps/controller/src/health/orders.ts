import {
  type Asked,
  type Chain,
  comparePoints,
  type FoldState,
  nextRetry,
  type Vantage,
} from '@vantage/health';
import { newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { checkId } from '../check-id.ts';
import type { NewRow, Tables } from '../db/index.ts';
import { unitHash } from '../phase.ts';
import type { FoldDevice } from './fold-store.ts';
import type { Times } from './times.ts';

/** A device after a batch was folded. */
export interface Outcome {
  readonly device: FoldDevice;
  readonly before: FoldState;
  readonly state: FoldState;
  /** The newest result that counts came late. */
  readonly isLateStory: boolean;
  /** The batch held an error or an abstention that came at once: the next retry may be due. */
  readonly heardOfChain: boolean;
}

/** A chain's id: the one its opening result carries, else that check's own id. */
export function chainIdOf(deviceNo: number, chain: Chain): string {
  return chain.chainId ?? checkId({ deviceNo, ...chain.opened });
}

/**
 * Orders what a batch calls for: the next retry of open chains (with word to the agent that saw the error that its chain
 * is looked after), and a check now where a late story says that the device is not Up. Orders of chains that ended are
 * withdrawn.
 */
export async function orderAfterFold(
  trx: Kysely<Tables>,
  outcomes: readonly Outcome[],
  nowUs: number,
  times: Times,
): Promise<void> {
  const ended = outcomes.filter(
    ({ before, state }) => before.chain !== null && !isSameChain(before.chain, state.chain),
  );
  await withdraw(
    trx,
    ended.map(({ device }) => device.deviceNo),
  );
  const chains = outcomes.flatMap(({ device, state, heardOfChain }) => {
    const isLive =
      state.chain !== null && nowUs - state.chain.lastEndUs < times.lateAfterUs + device.timeoutUs;
    return heardOfChain && isLive ? [{ device, state }] : [];
  });
  await orderRetries(trx, chains, { agentGoesOn: true, nowUs, times });
  await orderNow(
    trx,
    outcomes.filter(
      ({ state, isLateStory }) => isLateStory && (state.status === 'Down' || state.chain !== null),
    ),
    nowUs,
    times,
  );
}

/**
 * Orders the next retry of each device's open chain, where there is anybody to ask. Whoever gave the last error is told
 * when it is not the one to retry: it would go on by itself.
 */
export async function orderRetries(
  trx: Kysely<Tables>,
  chains: readonly { readonly device: FoldDevice; readonly state: FoldState }[],
  {
    agentGoesOn,
    nowUs,
    times,
  }: { readonly agentGoesOn: boolean; readonly nowUs: number; readonly times: Times },
): Promise<void> {
  const open = chains.flatMap(({ device, state: { chain } }) =>
    chain === null || chain.revision < device.targetRevision ? [] : [{ device, chain }],
  );
  if (open.length === 0) return;
  const deviceNos = open.map(({ device }) => device.deviceNo);
  const vantages = await vantagesOf(trx, deviceNos);
  const asked = await askedOf(trx, deviceNos);
  const orders = open.flatMap(({ device, chain }): NewRow<'orders'>[] => {
    const chainId = chainIdOf(device.deviceNo, chain);
    const before = (asked.get(device.deviceNo) ?? []).filter((one) => one.chainId === chainId);
    const able = vantages.get(device.deviceNo) ?? [];
    const last = able.find((one) => one.holds && one.agentNo === chain.lastAgentNo);
    const decision = nextRetry({
      chain,
      retries: device.retries,
      retryDelayUs: device.retryDelayUs,
      timeoutUs: device.timeoutUs,
      graceUs: times.answerGraceUs,
      vantages: able,
      asked: before,
      agentGoesOn: agentGoesOn && last?.runsChain === true,
      nowUs,
    });
    if (decision.kind === 'leave') return [];
    const { vantage, attempt, notBeforeUs, deadlineUs } = decision;
    const common = { device, chainId, nowUs, deadlineUs };
    const retry = orderRow({ ...common, kind: 'Retry', vantage, attempt, notBeforeUs });
    if (last === undefined || vantage.agentNo === last.agentNo) return [retry];
    return [retry, orderRow({ ...common, kind: 'ChainTaken', vantage: last, attempt: 0, notBeforeUs: 0 })];
  });
  await insertOrders(trx, orders);
}

async function orderNow(
  trx: Kysely<Tables>,
  outcomes: readonly Outcome[],
  nowUs: number,
  times: Times,
): Promise<void> {
  if (outcomes.length === 0) return;
  const deviceNos = outcomes.map(({ device }) => device.deviceNo);
  const vantages = await vantagesOf(trx, deviceNos);
  const asked = await trx
    .selectFrom('orders')
    .select('device_no')
    .where('kind', '=', 'Now')
    .where('state', '=', 'Open')
    .where('device_no', 'in', deviceNos)
    .execute();
  const waiting = new Set(asked.map((row) => row.device_no));
  const orders = outcomes.flatMap(({ device }): NewRow<'orders'>[] => {
    const vantage = vantages.get(device.deviceNo)?.find((one) => one.holds);
    if (vantage === undefined || waiting.has(device.deviceNo)) return [];
    const deadlineUs = nowUs + device.timeoutUs + times.answerGraceUs;
    return [
      orderRow({
        device,
        kind: 'Now',
        vantage,
        attempt: 0,
        notBeforeUs: 0,
        deadlineUs,
        chainId: null,
        nowUs,
      }),
    ];
  });
  await insertOrders(trx, orders);
}

/** A vantage; `runsChain`: the plan lets the device's own agent go on by itself. */
type Able = Vantage & { readonly runsChain: boolean };

/**
 * Which agents are connected, well and at a Location where somebody is assigned to these devices? In order of Location, the
 * device's own agent first, the others in an order of each device's own, so that retries are spread.
 */
async function vantagesOf(trx: Kysely<Tables>, deviceNos: readonly number[]): Promise<Map<number, Able[]>> {
  const { rows } = await sql<Able & { deviceNo: number }>`
    select s.device_no as "deviceNo", a.agent_no as "agentNo", s.location_no as "locationNo",
      a.agent_no = s.agent_no as holds, s.runs_chain as "runsChain"
    from assignment_spans s join agents a on a.location_no = s.location_no
    where s.device_no = any(${deviceNos}::int[]) and s.to_us is null
      and a.state = 'Connected' and a.blind_reason is null
    order by s.location_no, a.agent_no`.execute(trx);
  const spread = (one: Able & { deviceNo: number }) => (one.holds ? 0 : unitHash(one.deviceNo, one.agentNo));
  return Map.groupBy(
    rows.sort((a, b) => a.locationNo - b.locationNo || spread(a) - spread(b)),
    (row) => row.deviceNo,
  );
}

/** Which retries of these devices were asked for? */
async function askedOf(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<Map<number, (Asked & { readonly chainId: string | null })[]>> {
  const rows = await trx
    .selectFrom('orders')
    .select(['device_no', 'attempt', 'agent_no', 'chain_id', 'state'])
    .where('kind', '=', 'Retry')
    .where(sql<boolean>`device_no = any(${deviceNos}::int[])`)
    .execute();
  const asked = rows.map((row) => ({
    deviceNo: row.device_no,
    attempt: row.attempt,
    agentNo: row.agent_no,
    chainId: row.chain_id,
    state: row.state === 'Open' ? ('open' as const) : ('ended' as const),
  }));
  return Map.groupBy(asked, (one) => one.deviceNo);
}

function isSameChain(a: Chain, b: Chain | null): boolean {
  return b !== null && comparePoints(a.opened, b.opened) === 0;
}

/** Takes back retries of chains that ended and were not answered. */
async function withdraw(trx: Kysely<Tables>, deviceNos: readonly number[]): Promise<void> {
  if (deviceNos.length === 0) return;
  await sql`
    update orders set state = 'Expired'
    where device_no = any(${deviceNos}::int[]) and state = 'Open' and kind in ('Retry', 'ChainTaken')`.execute(
    trx,
  );
}

function orderRow(order: {
  readonly device: FoldDevice;
  readonly kind: 'Retry' | 'Now' | 'ChainTaken';
  readonly vantage: Vantage;
  readonly attempt: number;
  readonly notBeforeUs: number;
  readonly deadlineUs: number;
  readonly chainId: string | null;
  readonly nowUs: number;
}): NewRow<'orders'> {
  return {
    order_id: newId(),
    kind: order.kind,
    device_no: order.device.deviceNo,
    agent_no: order.vantage.agentNo,
    location_no: order.vantage.locationNo,
    revision: order.device.revision,
    chain_id: order.chainId,
    attempt: order.attempt,
    not_before_us: order.notBeforeUs,
    deadline_us: order.deadlineUs,
    created_us: order.nowUs,
  };
}

/** Writes orders and tells the gateways that have their agents. */
async function insertOrders(trx: Kysely<Tables>, orders: readonly NewRow<'orders'>[]): Promise<void> {
  if (orders.length === 0) return;
  await trx
    .insertInto('orders')
    .values([...orders])
    .execute();
  const agentNos = [...new Set(orders.map((order) => order.agent_no))];
  await sql`
    select pg_notify('vantage_order', json_build_object('agent_no', agent_no)::text)
    from unnest(${agentNos}::int[]) as agent_no`.execute(trx);
}

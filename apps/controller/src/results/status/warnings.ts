import { isGood } from '@vantage/domain';
import {
  type EventCause,
  type Expiry,
  isLate,
  type Slowness,
  stepExpiry,
  stepSlowness,
} from '@vantage/health';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { RecordEvents } from '../events/record-events.ts';
import { type AccountDays, daysOfAccounts } from './account-days.ts';
import { type ExpiringFact, expiringFactIn } from './expiring-facts.ts';
import type { FoldDevice, InsertedCheck } from './fold-store.ts';
import { type NetworkFacts, networkFactsAfter, storedNetworkFacts } from './network-facts.ts';
import type { Times } from './times.ts';

/**
 * The state between the checks of a device whose answers are slow, whose certificate or domain expires, or that is
 * asked by SNMP.
 */
interface Warnings {
  readonly slowness: Slowness | null;
  readonly certificate: Expiry | null;
  /** Absent in a state that an earlier version stored. */
  readonly domain?: Expiry | null | undefined;
  readonly network: NetworkFacts | null;
}

const storedSlowness = z.object({ isSlow: z.boolean(), inRow: z.int() });
const storedExpiry = z.object({ notAfterUs: z.number(), days: z.number(), laterInRow: z.int() });
const storedWarnings = z.object({
  slowness: storedSlowness.nullable().catch(null),
  certificate: storedExpiry.nullable().catch(null),
  domain: storedExpiry.nullish().catch(null),
  network: storedNetworkFacts.nullable().catch(null),
});
const none: Warnings = { slowness: null, certificate: null, network: null };

/**
 * Decides by newly inserted checks which devices became slow or fast again, whose certificates or domains expire soon,
 * which devices restarted and which of their interfaces went down or up, and records the events. Late results say
 * nothing, because they are about the past. Checks that change nothing cost no write; the caller holds the devices'
 * locks.
 */
export async function foldWarnings(
  trx: Kysely<Tables>,
  devices: ReadonlyMap<number, FoldDevice>,
  inserted: readonly InsertedCheck[],
  {
    nowUs,
    times,
    recordEvents,
    accountDays,
  }: {
    readonly nowUs: number;
    readonly times: Times;
    readonly recordEvents: RecordEvents;
    readonly accountDays?: AccountDays | undefined;
  },
): Promise<void> {
  const sorted = inserted
    .filter((check) => !isLate({ endUs: check.end_us, arrivedUs: check.arrived_us }, times.lateAfterUs))
    .toSorted((a, b) => a.start_us - b.start_us || a.agent_no - b.agent_no);
  const expiring = new Map(
    sorted.flatMap((check) => {
      const fact = expiringFactIn(check);
      return fact === undefined ? [] : [[check, fact] as const];
    }),
  );
  const daysOf = await warningDays(trx, devices, expiring.keys(), { nowUs, accountDays });
  const changed = [...Map.groupBy(sorted, (check) => check.device_no)].flatMap(([deviceNo, checks]) => {
    const device = devices.get(deviceNo);
    const folded = device && foldDevice(device, checks, { nowUs, expiring, warningDays: daysOf(device) });
    return folded === undefined ? [] : [folded];
  });
  if (changed.length === 0) return;
  const written = await writeWarnings(
    trx,
    changed.map(({ deviceNo, warnings }) => ({ deviceNo, warnings })),
  );
  const causes = changed.flatMap((one) => (written.has(one.deviceNo) ? one.causes : []));
  await recordEvents(trx, causes, nowUs);
}

/** The days at which each device warns: its own, or those of its account, which are read if a check needs them. */
async function warningDays(
  trx: Kysely<Tables>,
  devices: ReadonlyMap<number, FoldDevice>,
  checks: Iterable<InsertedCheck>,
  { nowUs, accountDays }: { readonly nowUs: number; readonly accountDays: AccountDays | undefined },
): Promise<(device: FoldDevice) => readonly number[]> {
  const accountNos = new Set<number>();
  for (const { device_no } of checks) {
    const device = devices.get(device_no);
    if (device?.expiryDays === null) accountNos.add(device.accountNo);
  }
  const ofAccounts = await daysOfAccounts(trx, [...accountNos], { nowUs, known: accountDays });
  return ({ expiryDays, accountNo }) => expiryDays ?? ofAccounts(accountNo);
}

interface FoldFacts {
  readonly nowUs: number;
  readonly expiring: ReadonlyMap<InsertedCheck, ExpiringFact>;
  readonly warningDays: readonly number[];
}

/** The warnings after these checks; undefined where they are as before. */
function foldDevice(
  device: FoldDevice,
  checks: readonly InsertedCheck[],
  { nowUs, expiring, warningDays }: FoldFacts,
) {
  const { deviceNo, accountNo } = device;
  const before = device.warnings === null ? none : (storedWarnings.safeParse(device.warnings).data ?? none);
  let warnings: Warnings = before;
  const causes: EventCause[] = [];
  for (const check of checks) {
    if (check.revision < device.targetRevision) continue;
    const about = {
      accountNo,
      deviceNo,
      locationNo: check.location_no,
      atUs: check.end_us,
      check: { startUs: check.start_us, agentNo: check.agent_no },
    };
    const slow = slownessAfter(warnings.slowness, check);
    if (slow.change !== null) {
      const requestMs = Math.round((check.end_us - check.start_us) / 1000);
      causes.push({ kind: slow.change === 'slow' ? 'device-slow' : 'device-fast', ...about, requestMs });
    }
    if (slow.after !== warnings.slowness) warnings = { ...warnings, slowness: slow.after };
    const network = networkFactsAfter(warnings.network, device, check);
    causes.push(...network.causes);
    if (network.after !== warnings.network) warnings = { ...warnings, network: network.after };
    const fact = expiring.get(check);
    if (fact === undefined) continue;
    const { what, notAfterUs } = fact;
    const stored = warnings[what] ?? null;
    const { after, announces } = stepExpiry(stored, { notAfterUs, nowUs, warningDays });
    if (announces !== null) causes.push({ kind: 'certificate-expiring', ...about, what, notAfterUs });
    if (after !== stored) warnings = { ...warnings, [what]: after };
  }
  if (warnings === before) return undefined;
  const isNothing = Object.values(warnings).every((part) => part === null || part === undefined);
  return { deviceNo, warnings: isNothing ? null : warnings, causes };
}

/** Only regular checks count: a retry or a check on request runs at another time, or from another Location. */
function slownessAfter(before: Slowness | null, check: InsertedCheck): ReturnType<typeof stepSlowness> {
  const isRegular = check.attempt === 0 && check.run_request_id === null;
  if (!isRegular || !isGood(check.code)) return { after: before, change: null };
  return stepSlowness(before, check.perf === perfSlow);
}

/** `perf` of a check whose PerfStat is Slow. */
const perfSlow = 1;

/** Writes what is remembered of these devices (null: nothing), and returns the numbers of those that have a state. */
async function writeWarnings(
  trx: Kysely<Tables>,
  devices: readonly { readonly deviceNo: number; readonly warnings: object | null }[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ device_no: number }>`
    update device_state s set warnings = nullif(g.warnings, 'null'::jsonb)
    from jsonb_to_recordset(${JSON.stringify(devices)}::jsonb) as g ("deviceNo" int, warnings jsonb)
    where s.device_no = g."deviceNo" returning s.device_no`.execute(trx);
  return new Set(rows.map((row) => row.device_no));
}

import { dayUs } from '@vantage/domain';
import { lockDevicesOf, pipelined, type Tables } from '@vantage/storage';
import type { Transaction } from 'kysely';
import {
  type Acceptance,
  isOfDeleted,
  type KnownDevices,
  locationAt,
  refusal,
  strangerReason,
} from './accept.ts';
import { assignedSpans, connectedSpans, deletedDevices, locationsSince } from './acceptance-store.ts';
import type { AnsweredRunRequests, SendingAgent, StoredRecords } from './ingest-contract.ts';
import type { ParsedDiagnostics, ParsedResult } from './parse-record.ts';
import type { RefusedRecord } from './quarantine-store.ts';
import type { Item, Sorted } from './sort-items.ts';

interface AcceptanceDeps {
  readonly runRequests: AnsweredRunRequests;
  readonly nowUs: number;
  readonly retentionDays: number;
}

/** Locks the devices of these results and diagnostics, and decides under the locks which results are accepted. */
export async function judgeUnderLocks(
  trx: Transaction<Tables>,
  sender: SendingAgent,
  sorted: Sorted,
  deps: AcceptanceDeps,
) {
  const results = sorted.results.map(({ result }) => result);
  const deviceNos = [...results, ...sorted.diagnostics.map(({ diagnostics }) => diagnostics)].map(
    ({ deviceNo }) => deviceNo,
  );
  // PostgreSQL answers them one after the other, so what follows the locks is read under them.
  const [devices, spans, locations] = await pipelined(trx, (pipe) => [
    lockDevicesOf(pipe, sender.accountNo, deviceNos),
    loadAcceptance(pipe, sender, results, deps),
    locationsOf(pipe, sender, results),
  ]);
  const acceptance = { ...spans, devices };
  const { accepted, diagnostics, refused } = judge(sorted, acceptance);
  const notAccepted = await withoutDeleted(trx, sender, { refused, devices });
  const located = accepted.map((result) => ({ result, locationNo: locationAt(locations, result.startUs) }));
  return { acceptance, located, diagnostics, notAccepted };
}

/** The refused records without results of devices that were deleted meanwhile, which are no fault of anybody. */
async function withoutDeleted<R extends Pick<RefusedRecord, 'item'>>(
  trx: Transaction<Tables>,
  { accountNo }: SendingAgent,
  { refused, devices }: { readonly refused: readonly R[]; readonly devices: KnownDevices },
): Promise<readonly R[]> {
  const resultOf = ({ item: { parsed } }: R) => (parsed.kind === 'result' ? parsed.result : undefined);
  const unknown = refused.flatMap((one) => resultOf(one)?.deviceNo ?? []).filter((no) => !devices.has(no));
  if (unknown.length === 0) return refused;
  const deleted = await deletedDevices(trx, accountNo, unknown);
  return refused.filter((one) => {
    const result = resultOf(one);
    return result === undefined || !isOfDeleted(result, deleted);
  });
}

/** The Locations that the agent had since the first of these results started. */
async function locationsOf(
  trx: Transaction<Tables>,
  { agentNo }: SendingAgent,
  results: readonly ParsedResult[],
) {
  if (results.length === 0) return [];
  const firstUs = results.reduce((least, { startUs }) => Math.min(least, startUs), Number.MAX_SAFE_INTEGER);
  return locationsSince(trx, agentNo, firstUs);
}

async function loadAcceptance(
  trx: Transaction<Tables>,
  { agentNo }: SendingAgent,
  results: readonly ParsedResult[],
  { runRequests, nowUs, retentionDays }: AcceptanceDeps,
) {
  const firsts = new Map<number, number>();
  for (const { deviceNo, startUs } of results)
    firsts.set(deviceNo, Math.min(firsts.get(deviceNo) ?? startUs, startUs));
  const assigned = await assignedSpans(trx, agentNo, firsts);
  const runRequestIds = results.flatMap(({ runRequestId }) => runRequestId ?? []);
  const requested = await runRequests.requestedChecks(trx, agentNo, runRequestIds);
  let firstEndUs = Number.POSITIVE_INFINITY;
  for (const spans of assigned.values())
    for (const { toUs } of spans) firstEndUs = Math.min(firstEndUs, toUs ?? firstEndUs);
  // When no assignment ended, the times of the agent's connections decide nothing.
  const hasEnded = Number.isFinite(firstEndUs);
  const connected = hasEnded ? await connectedSpans(trx, agentNo, firstEndUs) : [];
  return { nowUs, oldestUs: nowUs - retentionDays * dayUs, assigned, connected, requested };
}

export function add(a: StoredRecords, b: StoredRecords): StoredRecords {
  return {
    inserted: a.inserted + b.inserted,
    repeated: a.repeated + b.repeated,
    quarantined: a.quarantined + b.quarantined,
  };
}

/** The results and diagnostics that ingest accepts, and the others as records for the quarantine. */
function judge({ results, diagnostics: allDiagnostics }: Sorted, acceptance: Acceptance) {
  const accepted: ParsedResult[] = [];
  const diagnostics: ParsedDiagnostics[] = [];
  const refused: { readonly item: Item; readonly reason: string }[] = [];
  for (const { item, result } of results) {
    const reason = refusal(result, acceptance);
    if (reason === undefined) accepted.push(result);
    else refused.push({ item, reason });
  }
  for (const { item, diagnostics: one } of allDiagnostics) {
    const reason = strangerReason(one, acceptance.devices);
    if (reason === undefined) diagnostics.push(one);
    else refused.push({ item, reason });
  }
  return { accepted, diagnostics, refused };
}

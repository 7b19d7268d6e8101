import { setImmediate } from 'node:timers/promises';
import { type Span, secondUs } from '@vantage/domain';
import {
  addUptimes,
  type ShownSpan,
  timeline,
  type Uptime,
  type UptimeFacts,
  type UptimePart,
  uptimeOfPart,
} from '@vantage/health';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { type AskedDevice, readFacts, type UptimeRequest } from './uptime-facts.ts';

/** Devices whose facts are judged before other requests get their share of the process. */
const devicesAtOnce = 10;
/**
 * Rows of each kind that are read and held at one time. A device that changes each second has a million in two weeks.
 */
const maxRows = 5_000;
/** If that is not enough, the next read is smaller by this factor. */
const shrinks = 4;

/**
 * The uptime of each device over [from, to), by the device's number; a period that ends in the future counts as if it
 * ended now. Reads no checks. The number of statements depends on the number of facts, not on that of devices.
 */
export async function uptimes(
  db: Kysely<Tables>,
  request: UptimeRequest,
): Promise<ReadonlyMap<number, Uptime>> {
  const sums = new Map<number, ReturnType<typeof createSum>>();
  for await (const part of readParts(db, request)) {
    const sum = sums.get(part.device.deviceNo) ?? createSum();
    sums.set(part.device.deviceNo, sum);
    sum.add(part);
  }
  return new Map([...sums].map(([deviceNo, { uptime }]) => [deviceNo, uptime]));
}

/**
 * Calls `onSpans` with the shown statuses of each device over [from, to), in order of time. The spans of a device may
 * arrive in parts; a span may continue in the next part. Reads no checks.
 */
export async function timelines(
  db: Kysely<Tables>,
  request: UptimeRequest,
  onSpans: (deviceNo: number, spans: readonly ShownSpan[]) => void,
): Promise<void> {
  for await (const { device, period, facts } of readParts(db, request))
    onSpans(device.deviceNo, timeline(facts, period));
}

/** The uptime of one device in `parts` equal spans that end at `nowUs`, oldest first. Reads no checks. */
export async function uptimeParts(
  db: Kysely<Tables>,
  ask: {
    readonly deviceNo: number;
    readonly createdUs: number;
    readonly parts: number;
    readonly partUs: number;
    readonly nowUs: number;
  },
): Promise<readonly Uptime[]> {
  const { deviceNo, createdUs, parts, partUs, nowUs } = ask;
  const device = { deviceNo, createdUs, fromUs: nowUs - parts * partUs };
  const sums = Array.from({ length: parts }, (_, n) => {
    const fromUs = device.fromUs + n * partUs;
    return createSum({ fromUs, toUs: fromUs + partUs });
  });
  for await (const part of readParts(db, { devices: [device], toUs: nowUs, nowUs }))
    for (const sum of sums) sum.add(part);
  return sums.map(({ uptime }) => uptime);
}

const nothing: Uptime = {
  UpSeconds: 0,
  DownSeconds: 0,
  MaintenanceSeconds: 0,
  UnknownSeconds: 0,
  ExcludedSeconds: 0,
  Outages: 0,
  ExcludedOutages: 0,
};

/** The uptime of a device, of the parts that were added in the order of time; within a span where one is given. */
function createSum(within: Span = { fromUs: Number.NEGATIVE_INFINITY, toUs: Number.POSITIVE_INFINITY }) {
  let uptime = nothing;
  let before: UptimePart | undefined;
  return {
    add({ period, facts }: Part): void {
      const fromUs = Math.max(period.fromUs, within.fromUs);
      const toUs = Math.min(period.toUs, within.toUs);
      if (toUs <= fromUs) return;
      const next = uptimeOfPart(facts, { fromUs, toUs }, before);
      uptime = addUptimes(uptime, next.uptime);
      before = next.part;
    },
    get uptime(): Uptime {
      return uptime;
    },
  };
}

/** A part of a device's period, with the facts that touch it. */
interface Part {
  readonly device: AskedDevice;
  readonly period: Span;
  readonly facts: UptimeFacts;
}

/** The parts of the devices' periods, at least one of each; those of a device follow one another in time. */
async function* readParts(db: Kysely<Tables>, request: UptimeRequest): AsyncGenerator<Part> {
  const { devices } = request;
  const toUs = Math.min(request.toUs, request.nowUs);
  for (let at = 0, size = devices.length; at < devices.length; ) {
    const some = devices.slice(at, at + size);
    const facts = await readFacts(db, { ...request, devices: some, toUs }, { maxRows, isCut: false });
    if (facts === undefined && some.length > 1) {
      size = Math.ceil(some.length / shrinks);
      continue;
    }
    if (facts === undefined) for (const device of some) yield* readSpans(db, { ...request, toUs }, device);
    else
      for (const [place, device] of some.entries()) {
        if (place > 0 && place % devicesAtOnce === 0) await setImmediate();
        const period = { fromUs: device.fromUs, toUs: Math.max(device.fromUs, toUs) };
        yield { device, period, facts: facts.of(device) };
      }
    at += some.length;
    if (facts !== undefined && facts.rows * 2 <= maxRows) size = some.length * 2;
    // Whoever reads many parts lets others have the process, too.
    await setImmediate();
  }
}

/** The parts of the period of one device, which has more facts than are read at one time; cut at whole seconds. */
async function* readSpans(
  db: Kysely<Tables>,
  { toUs, nowUs }: UptimeRequest,
  device: AskedDevice,
): AsyncGenerator<Part> {
  for (let { fromUs } = device, spanUs = (toUs - fromUs) / shrinks; fromUs < toUs; ) {
    const endUs = Math.min(toUs, Math.max(floorSecond(fromUs + spanUs), floorSecond(fromUs) + secondUs));
    // One second of one device holds no more, unless its agents lie about what they covered.
    const isCut = endUs - fromUs <= secondUs;
    const devices = [{ ...device, fromUs }];
    const facts = await readFacts(db, { devices, toUs: endUs, nowUs }, { maxRows, isCut });
    if (facts === undefined) {
      spanUs /= shrinks;
      continue;
    }
    yield { device, period: { fromUs, toUs: endUs }, facts: facts.of(device) };
    fromUs = endUs;
    if (facts.rows * 2 <= maxRows) spanUs *= 2;
    await setImmediate();
  }
}

function floorSecond(us: number): number {
  return Math.floor(us / secondUs) * secondUs;
}

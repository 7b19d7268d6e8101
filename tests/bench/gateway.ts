// A process with a controller's end of the agents' stream. It gets a job from its parent (GatewayJob), assigns the
// job's devices to the agent that connects, acknowledges every batch, and sends its parent the endpoint. The message
// 'count' requests the counts (GatewayCount).
import { create } from '@bufbuild/protobuf';
import type { Method } from '@vantage/domain';
import { specOf } from '@vantage/probes';
import type { TestCertificate } from '@vantage/probes/testing';
import { type Assignment, AssignmentSchema } from '@vantage/proto';
import { startFakeController } from '../../apps/agent/src/testing/fake-controller.ts';

/** The agent's devices, and who may connect. */
export interface GatewayJob {
  readonly certificate: Pick<TestCertificate, 'cert' | 'key'>;
  readonly token: string;
  readonly method: Method;
  /** `{port}` is replaced by `portBefore` plus the device's number. */
  readonly url: string;
  readonly portBefore?: number;
  readonly options: Readonly<Record<string, number>>;
  readonly devices: number;
  readonly intervalMs: number;
  /** Whether the counts have the phases of each good result. */
  readonly phases?: boolean;
}

/** Phases of a result, milliseconds; `startMs` since 1970. */
interface ResultPhases {
  readonly deviceNo: number;
  readonly startMs: number;
  readonly connect: number;
  readonly ttfb: number;
}

/** Results since the last count; `text` is of the last one that is not good. */
export interface GatewayCount {
  readonly results: number;
  readonly good: number;
  readonly text: string;
  readonly phases: readonly ResultPhases[];
}

process.once('message', (job: GatewayJob) => void serve(job));
process.on('disconnect', () => process.exit(0));

async function serve(job: GatewayJob): Promise<void> {
  const { certificate, token } = job;
  const fake = await startFakeController({ certificate, token, assignments: assignmentsOf(job) });
  const none: GatewayCount = { results: 0, good: 0, text: '', phases: [] };
  let count = none;
  let phases: ResultPhases[] = [];
  const take = () => {
    fake.received.splice(0);
    for (const { record } of fake.records.splice(0)) {
      if (record.case !== 'result') continue;
      const { resultCode, checkResult, deviceNo, startUs, connectMs, ttfbMs } = record.value;
      const isGood = resultCode === 1;
      const text = isGood ? count.text : checkResult;
      count = { results: count.results + 1, good: count.good + Number(isGood), text, phases };
      if (job.phases && isGood)
        phases.push({ deviceNo, startMs: Number(startUs) / 1000, connect: connectMs, ttfb: ttfbMs });
    }
  };
  setInterval(take, 100);
  process.on('message', () => {
    take();
    process.send?.(count);
    phases = [];
    count = none;
  });
  process.send?.(fake.endpoint);
}

/** The devices of a job, evenly over the interval. */
function assignmentsOf({
  method,
  url,
  portBefore = 0,
  options,
  devices,
  intervalMs,
}: GatewayJob): Assignment[] {
  return Array.from({ length: devices }, (_, i) =>
    create(AssignmentSchema, {
      deviceNo: i + 1,
      revision: 1,
      intervalMs,
      rotationIndex: 0,
      rotationSize: 1,
      spec: specOf({ method, url: url.replace('{port}', `${portBefore + i + 1}`), timeoutMs: 5000, options }),
      scheduleOffsetMs: Math.floor((i * intervalMs) / devices),
      retries: 2,
      retryDelayMs: 1000,
      retriesLocally: true,
      changedUs: 1n,
    }),
  );
}

// traceroute.test.ts runs this in a separate process in a network namespace. Its argument is a TraceJob in JSON.
import { type TraceRequest, traceroute } from '../net/traceroute.ts';

export interface TraceJob {
  /** Changes to user nobody when everything is loaded. */
  readonly asNobody?: boolean;
  readonly traces: readonly Omit<TraceRequest, 'signal'>[];
}

const job: TraceJob = JSON.parse(process.argv[2] ?? '{"traces":[]}');
const { signal } = new AbortController();
if (job.asNobody) {
  const warmUp = { address: '127.0.0.1', port: 1, kind: 'udp', deadlineMs: 1000, signal } as const;
  await traceroute(warmUp);
  process.setgroups?.([]);
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}
const answers = [];
for (const trace of job.traces) {
  const startedMs = performance.now();
  answers.push({ ...(await traceroute({ ...trace, signal })), tookMs: performance.now() - startedMs });
}
console.log(JSON.stringify(answers));

/**
 * Run by tests as a process of its own, inside a network namespace or without rights: runs the checks that its argument
 * (JSON) names, one after the other, and prints their measurements as JSON.
 */
import { loadIcmp } from '@vantage/icmp/testing';
import { probeFor } from '../engine/registry.ts';
import { runTest } from './run-test.ts';

/** The checks to run. */
export interface CheckJob {
  /** Becomes user and group nobody first, losing every right. */
  readonly asNobody?: boolean;
  readonly checks: readonly {
    readonly method: string;
    readonly url: string;
    readonly options?: object;
    readonly timeoutMs?: number;
  }[];
}

const job: CheckJob = JSON.parse(process.argv[2] ?? '{"checks":[]}');
if (job.asNobody) {
  // The file is read while there is a right to: the clone may lie in a folder that nobody else may enter.
  loadIcmp();
  process.setgroups?.([]);
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}
const measurements: unknown[] = [];
for (const { method, url, options = {}, timeoutMs = 5000 } of job.checks) {
  const probe = probeFor(method);
  if (probe === undefined) throw new Error(`no Method ${method}`);
  measurements.push(await runTest(probe, url, options, { timeoutMs }));
}
console.log(JSON.stringify(measurements));
process.exit(0);

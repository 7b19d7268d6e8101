/**
 * Run by tests as a process of its own, inside a network namespace or without rights: does what its argument (JSON)
 * says and prints the answer as JSON.
 */
import { loadAddon } from '../addon.ts';
import { type HopRequest, openIcmp, type PingRequest, sendHop } from '../index.ts';

/** The task. */
export interface IcmpJob {
  /** Becomes user and group nobody first, losing every right. */
  readonly asNobody?: boolean;
  readonly pings?: { readonly family: 4 | 6; readonly requests: readonly PingRequest[] };
  readonly hops?: readonly HopRequest[];
}

const job: IcmpJob = JSON.parse(process.argv[2] ?? '{}');
if (job.asNobody) {
  // The file is read while there is a right to: the clone may lie in a folder that nobody else may enter.
  loadAddon();
  process.setgroups?.([]);
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}
const answers: unknown[] = [];
if (job.pings) {
  const socket = openIcmp({ family: job.pings.family });
  if ('error' in socket) answers.push(socket);
  else {
    answers.push({ kind: socket.kind });
    answers.push(...(await Promise.all(job.pings.requests.map((request) => socket.ping(request)))));
    socket.close();
  }
}
for (const hop of job.hops ?? []) answers.push(await sendHop(hop));
console.log(JSON.stringify(answers));

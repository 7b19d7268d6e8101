// A process with TCP targets in a namespace. It prints its ports as a line of JSON and then reads commands from
// standard input: `stop I` and `start I` for target I. It ends when standard input ends.
import { createInterface } from 'node:readline';
import { startTarget, type Target } from '../harness/target.ts';

const [, , host = '127.0.0.1', count = '1'] = process.argv;
const targets: Target[] = [];
for (let i = 0; i < Number(count); i += 1) targets.push(await startTarget(host));
process.stdout.write(`${JSON.stringify(targets.map((target) => target.port))}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, index] = line.split(' ');
  const target = targets[Number(index)];
  if (verb === 'stop') await target?.stop();
  if (verb === 'start') await target?.start();
}
process.exit(0);

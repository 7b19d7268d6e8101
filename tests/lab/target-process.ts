// Many TCP targets on one address. Prints their ports as a line of JSON and reads `stop` and `start` from standard
// input; answers each with a line when it is done. It ends when standard input ends.
// Usage: target-process.ts ADDRESS COUNT
import { createInterface } from 'node:readline';
import { startTarget, type Target } from '../harness/target.ts';

const [, , address = '', count = '0'] = process.argv;
const targets: Target[] = [];
for (let i = 0; i < Number(count); i += 1) targets.push(await startTarget(address));
process.stdout.write(`${JSON.stringify(targets.map(({ port }) => port))}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'stop') await Promise.all(targets.map((target) => target.stop()));
  if (line === 'start') await Promise.all(targets.map((target) => target.start()));
  process.stdout.write(`${line}\n`);
}
process.exit(0);

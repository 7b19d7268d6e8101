// The devices of the site: one TCP server for each address, all on port 7000. Reads `stop I` and `start I` from
// standard input. It ends when standard input ends. Usage: device-host.ts ADDRESS…
import { createInterface } from 'node:readline';
import { startTarget, type Target } from '../harness/target.ts';

const targets: Target[] = [];
for (const address of process.argv.slice(2)) targets.push(await startTarget(address, 7000));
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, index] = line.split(' ');
  const target = targets[Number(index)];
  if (verb === 'stop') await target?.stop();
  if (verb === 'start') await target?.start();
}
process.exit(0);

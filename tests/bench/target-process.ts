// A process with TCP targets. A tenth of its listeners is closed at any time, another tenth every 20 seconds. It sends
// its parent the ports. The message 'mark' sets the count of connections to zero, 'count' requests it, 'end' ends the
// process.
import { startTarget, type Target } from '../harness/target.ts';

const targets: Target[] = [];
for (let i = 0; i < Number(process.argv[2]); i += 1) targets.push(await startTarget());
let marks = targets.map(() => 0);
let closed: Target[] = [];
let round = 0;
let turning = Promise.resolve();
const turn = async () => {
  const tenth = Math.ceil(targets.length / 10);
  const next = Array.from({ length: tenth }, (_, i) => targets[(round * tenth + i) % targets.length]);
  round += 1;
  for (const target of closed) await target.start();
  closed = next.filter((target) => target !== undefined);
  for (const target of closed) await target.stop();
};
const timer = setInterval(() => {
  turning = turning.then(turn);
}, 20_000);
await turn();
process.on('message', (message) => {
  if (message === 'mark') marks = targets.map((target) => target.hits.length);
  else if (message === 'count')
    process.send?.({ hits: targets.reduce((sum, t, i) => sum + t.hits.length - (marks[i] ?? 0), 0) });
  else if (message === 'end') end();
});
process.on('disconnect', () => end());
process.send?.({ ports: targets.map((target) => target.port) });

function end(): void {
  clearInterval(timer);
  process.exit(0);
}

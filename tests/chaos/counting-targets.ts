// A process with one TCP target for each device. It answers its parent's messages 'ports' and 'hits' (wall clock of
// every connection by port, so that the test can match each row with its connection).
import { startTarget, type Target } from '../harness/target.ts';

const targets: Target[] = [];
for (let i = 0; i < Number(process.argv[2]); i += 1) targets.push(await startTarget());
process.on('message', (message) => {
  if (message === 'ports') process.send?.(targets.map((target) => target.port));
  else if (message === 'hits') {
    process.send?.(Object.fromEntries(targets.map((target) => [target.port, target.hits])));
  }
});
process.on('disconnect', () => process.exit(0));

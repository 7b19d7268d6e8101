// A process with one TCP target a device. Answers its parent's 'ports' and 'hits' (wall clock of every connection by
// port, so that the ledger joins each row to the hit it came from).
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

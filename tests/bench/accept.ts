// A process with one TCP target. Usage: accept.ts HOST PORT. It sends its parent 'ready'.
import { startTarget } from '../harness/target.ts';

const [, , host, port] = process.argv;
await startTarget(host, Number(port));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

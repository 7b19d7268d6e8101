import { tolerateLostOutput } from './output.ts';
import { runCommandLine } from './run-command-line.ts';

tolerateLostOutput();
await runCommandLine(process.argv.slice(2));

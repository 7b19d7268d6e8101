import { runCommandLine } from './all-commands.ts';
import { tolerateLostOutput } from './print-answer.ts';

tolerateLostOutput();
await runCommandLine(process.argv.slice(2));

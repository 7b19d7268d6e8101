import { runCommandLine } from './all-commands.ts';
import { tolerateLostOutput } from './output.ts';

tolerateLostOutput();
await runCommandLine(process.argv.slice(2));

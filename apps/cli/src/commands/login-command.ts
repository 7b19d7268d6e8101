import type { CommandLine } from '../command-line.ts';
import { printText } from '../print-answer.ts';

export function addLoginCommand({ program }: CommandLine): void {
  program
    .command('login')
    .description('store a controller and a key for commands from anywhere')
    .requiredOption('--server <url>', 'address of the API: https://host:port/v1.1')
    .requiredOption('--key <key>', 'key of the API; - reads it from standard input')
    .option('--ca <file>', 'the CA of the controller')
    .option('--profile <name>', 'name of the profile', 'default')
    .action(
      async (options: {
        readonly server: string;
        readonly key: string;
        readonly ca?: string;
        readonly profile: string;
      }) => {
        const { runLogin } = await import('../remote/run-login.ts');
        printText(await runLogin(options, process.env));
      },
    );
}

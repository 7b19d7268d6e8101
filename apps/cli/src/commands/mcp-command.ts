import type { CommandLine } from '../command-line.ts';
import { type AccessOptions, findAccess } from '../remote/find-access.ts';
import { addAccessOptions } from './access-options.ts';

export function addMcpCommand({ program }: CommandLine): void {
  addAccessOptions(
    program
      .command('mcp')
      .description('serve the API to an assistant over standard input and output (Model Context Protocol)')
      .option('--allow-writes', 'allow changes and deletions; without it the assistant only reads'),
  ).action(
    async ({ allowWrites = false, ...accessOptions }: AccessOptions & { readonly allowWrites?: boolean }) => {
      const { runMcp } = await import('../mcp/run-mcp.ts');
      await runMcp(findAccess(accessOptions, process.env), { writes: allowWrites });
    },
  );
}

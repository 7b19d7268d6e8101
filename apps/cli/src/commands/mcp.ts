import type { CommandLine } from '../command-line.ts';
import { findAccess, type GivenAccess } from '../remote/access.ts';
import { addAccessOptions } from './access-options.ts';

/** Adds `mcp`. */
export function addMcpCommand({ program }: CommandLine): void {
  addAccessOptions(
    program
      .command('mcp')
      .description('serve the API to an assistant over standard input and output (Model Context Protocol)')
      .option('--allow-writes', 'changes and deletions, too; without it the assistant only reads'),
  ).action(async ({ allowWrites = false, ...given }: GivenAccess & { readonly allowWrites?: boolean }) => {
    const { runMcp } = await import('../mcp/run-mcp.ts');
    await runMcp(findAccess(given, process.env), { writes: allowWrites });
  });
}

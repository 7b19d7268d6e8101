import path from 'node:path';
import type { CommandLine } from '../command-line.ts';
import { print } from '../output.ts';
import type { GivenAccess } from '../remote/access.ts';
import { addAccessOptions } from './access-options.ts';

/** Adds `audit export` and `audit verify`. */
export function addAuditCommands({ group, asJson }: CommandLine): void {
  const audit = group('audit', 'who changed what, as a file whose lines are chained by hashes');
  addAccessOptions(audit.command('export <file>'))
    .description('append the entries that the file does not have yet, a line of JSON each, oldest first')
    .option('--since <timestamp>', 'where a new file begins: 2026-01-01T00:00:00Z (default: the first entry)')
    .action(async (file: string, { since, ...given }: GivenAccess & { readonly since?: string }) => {
      const { findAccess } = await import('../remote/access.ts');
      const { runAuditExport } = await import('../audit/run-audit.ts');
      const access = findAccess(given, process.env);
      print(await runAuditExport({ access, file: path.resolve(file), since }), asJson());
    });
  audit
    .command('verify <file>')
    .description('say whether a line of the file was changed, removed or put in between')
    .action(async (file: string) => {
      const { verifyAudit } = await import('../audit/run-audit.ts');
      print(verifyAudit(path.resolve(file)), asJson());
    });
}

import path from 'node:path';
import type { CommandLine } from '../command-line.ts';
import { print } from '../print-answer.ts';
import type { AccessOptions } from '../remote/find-access.ts';
import { addAccessOptions } from './access-options.ts';

export function addAuditCommands({ group, asJson }: CommandLine): void {
  const audit = group('audit', 'who changed what, as a file whose lines are chained by hashes');
  addAccessOptions(audit.command('export <file>'))
    .description('append new entries to the file, a line of JSON each, oldest first')
    .option('--since <timestamp>', 'the start of a new file: 2026-01-01T00:00:00Z (default: the first entry)')
    .action(
      async (file: string, { since, ...accessOptions }: AccessOptions & { readonly since?: string }) => {
        const { findAccess } = await import('../remote/find-access.ts');
        const { runAuditExport } = await import('../audit/run-audit.ts');
        const access = findAccess(accessOptions, process.env);
        print(await runAuditExport({ access, file: path.resolve(file), since }), asJson());
      },
    );
  audit
    .command('verify <file>')
    .description('check whether a line of the file was changed, removed or inserted')
    .action(async (file: string) => {
      const { verifyAudit } = await import('../audit/run-audit.ts');
      print(verifyAudit(path.resolve(file)), asJson());
    });
}

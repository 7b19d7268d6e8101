import path from 'node:path';
import type { SettingsReader } from '@vantage/kernel';
import type { Admin } from '../admin-process.ts';
import { accountOption, type CommandLine, parseName } from '../command-line.ts';
import type { HostCommands } from './host-commands.ts';

interface ContactAddOptions {
  readonly account: string;
  readonly name?: string;
}

/** Adds `contacts add` and `contacts test`. Returns `contacts list` for the controller's host. */
export function addContactCommands({ group, answer }: CommandLine): HostCommands {
  const contacts = group('contacts', 'contacts, to which notifications go');
  contacts
    .command('add')
    .argument('<address>', 'an e-mail address, or the https:// address of a webhook')
    .description('create a contact that is notified of all alerts; the secret of a webhook is shown once')
    .addOption(accountOption())
    .option('--name <name>', 'a name for it (default: its address)', parseName)
    .action((address: string, options: ContactAddOptions) =>
      answer((admin, settings) => add(admin, settings, { ...options, address })),
    );
  contacts
    .command('test')
    .argument('<contact>', 'id, name or address of the contact')
    .description('send a test message, with the mail server of the installation, or that of VANTAGE_SMTP_URL')
    .addOption(accountOption())
    .action((contact: string, { account }: { account: string }) =>
      answer((admin) => admin('contacts.test', { account, contact })),
    );
  return {
    list: ({ account }) =>
      answer((admin) => admin('contacts.list', account === undefined ? {} : { account })),
  };
}

async function add(
  admin: Admin,
  settings: SettingsReader['given'],
  { account, name, address }: ContactAddOptions & { readonly address: string },
): Promise<object> {
  const { VANTAGE_DATA = 'data', VANTAGE_SECRET_KEY_FILE, VANTAGE_ALLOW_PRIVATE_WEBHOOKS } = settings;
  const { note, ...added } = await admin('contacts.add', {
    account,
    address,
    ...(name === undefined ? {} : { name }),
    secret_key_file: path.resolve(VANTAGE_SECRET_KEY_FILE ?? path.join(VANTAGE_DATA, 'secret.key')),
    allow_private:
      VANTAGE_ALLOW_PRIVATE_WEBHOOKS === undefined ? null : VANTAGE_ALLOW_PRIVATE_WEBHOOKS === 'true',
  });
  console.error(`vantage: ${note}`);
  return added;
}

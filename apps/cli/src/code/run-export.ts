import { writeFileSync } from 'node:fs';
import type { Method } from '@vantage/domain';
import {
  type ExportedDevice,
  exportCsv,
  exportFileSd,
  exportGatus,
  type ForeignFile,
} from '@vantage/imports/export';
import { Fault, messageOf } from '@vantage/kernel';
import { textOf } from '../json-values.ts';
import { connect } from '../remote/api-connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';
import { type AccountFile, exportFile } from './account-file.ts';
import type { AccountState } from './account-state.ts';
import type { AccountResource } from './managed-kinds.ts';
import { readAccount } from './read-account.ts';

type ExportForm = 'yaml' | 'csv' | 'gatus' | 'prometheus-file-sd';

/** Writes the resources of the account as a file of `apply`, or its devices as a file of another tool. */
export async function runExport(request: {
  readonly access: ControllerAccess;
  readonly source: string | undefined;
  readonly form: ExportForm;
  readonly output: string | undefined;
}): Promise<void> {
  using connection = connect(request.access);
  const account = await readAccount(connection);
  const { text, notes } = exportAccount(account, request.form, request.source);
  for (const note of notes) process.stderr.write(`${note}\n`);
  if (request.output === undefined) process.stdout.write(text);
  else writeOutput(request.output, text);
}

const foreignExports: Readonly<
  Record<Exclude<ExportForm, 'yaml'>, (devices: readonly ExportedDevice[]) => ForeignFile>
> = {
  csv: exportCsv,
  gatus: exportGatus,
  'prometheus-file-sd': exportFileSd,
};

function exportAccount(account: AccountState, form: ExportForm, source: string | undefined): AccountFile {
  if (form === 'yaml') return exportFile(account, source);
  const tags = new Map(account.resources.map(({ id, settings }) => [id, textOf(settings['Name'])]));
  const devices = account.resources
    .filter(({ kind, source: owner }) => kind === 'device' && (source === undefined || owner === source))
    .map((device) => exportedDevice(device, tags));
  const { text, lost } = foreignExports[form](devices);
  return { text, notes: lost.map(({ name, text: note }) => `${name}: ${note}`) };
}

function exportedDevice(
  { id, key, settings }: AccountResource,
  tags: ReadonlyMap<string, string>,
): ExportedDevice {
  const { Tags } = settings;
  return {
    ...(settings as unknown as ExportedDevice),
    device_id: id,
    Method: settings['Method'] as Method,
    ExternalKey: key,
    Tags: Array.isArray(Tags) ? Tags.map((tag) => ({ Name: tags.get(textOf(tag)) ?? textOf(tag) })) : [],
  };
}

function writeOutput(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new Fault('stop', 'unwritable', `${file} cannot be written: ${messageOf(error)}`);
  }
}

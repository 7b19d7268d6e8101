import { writeFileSync } from 'node:fs';
import type { Method } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';
import { exportCsv } from '../imports/back/csv.ts';
import type { Exported, ExportedDevice } from '../imports/back/exported-device.ts';
import { exportGatus } from '../imports/back/gatus.ts';
import { exportFileSd } from '../imports/back/prometheus-file-sd.ts';
import { textOf } from '../json-text.ts';
import { connect } from '../remote/connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';
import { exportFile } from './export-file.ts';
import type { Thing } from './kinds.ts';
import { readAccount } from './read-account.ts';
import type { Account } from './resolve.ts';

/** The forms of an export. */
type ExportForm = 'yaml' | 'csv' | 'gatus' | 'prometheus-file-sd';

/** Writes what the account has, as a file of `apply` or of another tool. */
export async function runExport(request: {
  readonly access: ControllerAccess;
  readonly source: string | undefined;
  readonly form: ExportForm;
  readonly output: string | undefined;
}): Promise<void> {
  using connection = connect(request.access);
  const account = await readAccount(connection);
  const { text, notes } = exported(account, request.form, request.source);
  for (const note of notes) process.stderr.write(`${note}\n`);
  if (request.output === undefined) process.stdout.write(text);
  else write(request.output, text);
}

const others: Readonly<
  Record<Exclude<ExportForm, 'yaml'>, (devices: readonly ExportedDevice[]) => Exported>
> = {
  csv: exportCsv,
  gatus: exportGatus,
  'prometheus-file-sd': exportFileSd,
};

function exported(
  account: Account,
  form: ExportForm,
  source: string | undefined,
): { readonly text: string; readonly notes: readonly string[] } {
  if (form === 'yaml') return exportFile(account, source);
  const tags = new Map(account.things.map(({ id, settings }) => [id, textOf(settings['Name'])]));
  const devices = account.things
    .filter((each) => each.kind === 'device' && (source === undefined || each.source === source))
    .map((each) => exportedDevice(each, tags));
  const { text, lost } = others[form](devices);
  return { text, notes: lost.map(({ name, text: what }) => `${name}: ${what}`) };
}

function exportedDevice({ id, key, settings }: Thing, tags: ReadonlyMap<string, string>): ExportedDevice {
  const { Tags } = settings;
  return {
    ...(settings as unknown as ExportedDevice),
    device_id: id,
    Method: settings['Method'] as Method,
    ExternalKey: key,
    Tags: Array.isArray(Tags) ? Tags.map((tag) => ({ Name: tags.get(textOf(tag)) ?? textOf(tag) })) : [],
  };
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new Fault('stop', 'unwritable', `${file} cannot be written: ${messageOf(error)}`);
  }
}

import { writeFileSync } from 'node:fs';
import { buildApplyFile, type ImportFiles, readFormat, writeApplyFile } from '@vantage/imports';
import type { FormatChoices, FormatName } from '@vantage/imports/formats';
import { Fault, messageOf } from '@vantage/kernel';
import { importReport, importReportData } from './import-report.ts';

/** The arguments of `vantage import`. */
export interface ImportRequest extends FormatChoices {
  readonly format: FormatName;
  readonly files: ImportFiles;
  /** `source` of the apply file. Default: `import/FORMAT`. */
  readonly source?: string | undefined;
  /** The apply file. Default: standard output. */
  readonly output?: string | undefined;
  /** Write nothing when an item is not imported. */
  readonly strict: boolean;
  readonly asJson: boolean;
}

/** Writes the apply file, and the report to standard error. Returns false when `strict` prevented the file. */
export async function runImport(request: ImportRequest): Promise<boolean> {
  const { format } = request;
  const reading = readFormat(format, request.files, request);
  const outcome = await buildApplyFile(reading, request.source ?? `import/${format}`);
  const report = request.asJson
    ? JSON.stringify(importReportData(outcome, format), null, 2)
    : importReport(outcome, format);
  process.stderr.write(`${report}\n`);
  if (request.strict && outcome.refused.length > 0) {
    process.stderr.write('Nothing is written, because something is not carried over (--strict).\n');
    return false;
  }
  const text = writeApplyFile(outcome.file);
  if (request.output === undefined) process.stdout.write(text);
  else writeOutput(request.output, text);
  return true;
}

function writeOutput(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new Fault('stop', 'unwritable', `${file} cannot be written: ${messageOf(error)}`);
  }
}

export { type ApplyFile, type FileDevice, type FileTag, writeApplyFile } from './apply-file/apply-file.ts';
export { buildApplyFile, type ImportOutcome } from './apply-file/build-apply-file.ts';
export { keyOf } from './apply-file/device-key.ts';
export { asRead, createUniqueNames } from './apply-file/unique-names.ts';
export { type ImportFiles, readFormat } from './format-readers.ts';
export type { FormatReading, ImportNote } from './found-check.ts';
export { sentFiles } from './input/input-files.ts';

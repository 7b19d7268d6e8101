export { exportCsv } from './export-csv.ts';
export { exportFileSd } from './export-file-sd.ts';
export { exportGatus } from './export-gatus.ts';
export type { ExportedDevice, ForeignFile } from './exported-device.ts';

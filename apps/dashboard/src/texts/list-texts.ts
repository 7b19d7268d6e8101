import { count } from '../model/format.ts';

/** Texts of lists with filters, on several screens. */
export const listTexts = {
  older: 'Load older ones',
  filter: 'Filter',
  toList: 'To the list',
  any: 'all',
  clear: 'Show everything',
  noMatch: 'Nothing matches these filters.',
  csv: 'Download CSV',
  csvRunning: (rows: number) => `${count(rows)} rows read …`,
  csvDone: (rows: number) => `${count(rows)} rows`,
  csvCut: (rows: number) => `The file has the newest ${count(rows)} rows. Set filters to get the others.`,
  noDevice: 'No device has this name.',
  fields: {
    state: 'State',
    severity: 'Severity',
    kind: 'Kind',
    type: 'Type',
    tag: 'Tag',
    location: 'Location',
    device: 'Device',
    suppressed: 'Suppressed',
    shadow: 'Shadow mode',
    span: 'Span',
    from: 'From',
    to: 'To',
    open: 'Not over',
  },
} as const;

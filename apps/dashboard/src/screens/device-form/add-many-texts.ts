import { count } from '../../model/format.ts';
import { devicesOf } from '../../texts/counted.ts';

/** Texts of the form that adds a device for each line. */
export const addManyTexts = {
  field: 'Addresses, one per line',
  example: '192.0.2.1\nhttps://www.example.org/health; Shop; web, berlin/rack-3',
  hint: 'A line is an address, or: address; name; tags separated by commas. A table with a head (from a spreadsheet or CSV) has a column URL and others like Name, Method, Every, Tags, Key and Master. At most 1,000 lines.',
  file: 'The file: CSV, TSV, or an apply file in JSON',
  tooLong: 'The file is longer than 4 MB. Split it.',
  plan: 'What happens',
  notes: 'Remarks',
  kinds: {
    new: () => 'added',
    changed: (fields: readonly string[]) =>
      fields.length === 0 ? 'master compared' : `changes ${fields.join(', ')}`,
    same: () => 'as it is',
  },
  unread: (n: number) => `${count(n)} more are not read: bring them in a second step`,
  ignored: (names: readonly string[]) => `Not taken over: ${names.join(', ')}`,
  rowWithout: (text: string, reason: string) => `“${text.slice(0, 80)}” ${reason}`,
  preview: 'What will be added',
  add: (added: number, changed: number) =>
    changed === 0 ? `Add ${devicesOf(added)}` : `Add ${devicesOf(added)}, change ${count(changed)}`,
  adding: (done: number, total: number) => `${count(done)} of ${count(total)}`,
  repeated: (n: number) => `${count(n)} repeated ${n === 1 ? 'line is' : 'lines are'} left out`,
  refused: (added: number, n: number) =>
    `${devicesOf(added)} added. Refused, and kept in the field: ${count(n)}`,
} as const;

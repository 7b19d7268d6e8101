import { count } from '../../model/format.ts';

/** Texts of the screen with the audit. */
export const auditTexts = {
  title: 'Audit',
  titleOf: (actor: string) => `What ${actor} did`,
  say: 'Who changed what, newest first. It contains no secrets, and entries stay when a thing is deleted.',
  actor: 'Who',
  kind: 'Kind',
  action: 'Action',
  from: 'From',
  to: 'To',
  any: 'all',
  actions: { Create: 'created', Update: 'changed', Delete: 'deleted', Refuse: 'refused sign-ins' },
  clear: 'Show everything',
  none: 'Nothing is recorded yet.',
  noMatch: 'No entry matches these filters.',
  more: 'Load older ones',
  address: (address: string) => `from ${address}`,
  history: 'History',
  historyOf: (what: string) => `History of the ${what}`,
  oneThing: 'thing',
  sessions: (ins: number, outs: number) =>
    [
      ...(ins > 0 ? [`${count(ins)} ${ins === 1 ? 'sign-in' : 'sign-ins'}`] : []),
      ...(outs > 0 ? [`${count(outs)} ${outs === 1 ? 'sign-out' : 'sign-outs'}`] : []),
    ].join(', '),
  csv: 'CSV with hashes',
  csvHint: 'All entries, oldest first, each with the hash that chains it to the entries before it.',
  reading: 'Reading the entries…',
  exported: (n: number) => `${count(n)} entries were saved. Entries of the last minute follow later.`,
  exportCut: (n: number) =>
    `The oldest ${count(n)} entries were saved. The command “audit export” saves all of them.`,
  moreLines: (n: number) => `and ${n} more fields`,
  stranger: 'Unknown person',
  commandLine: 'The operator’s command line',
} as const;

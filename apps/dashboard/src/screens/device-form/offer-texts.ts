import { count } from '../../model/format.ts';

/** Texts of the panel that asks a device what it offers. */
export const offerTexts = {
  ask: 'What does it offer?',
  askAgain: 'Ask again',
  asking: 'Asking…',
  hint: 'An agent asks the device for its interfaces and sensors. Choose what to watch; nothing is saved yet.',
  from: 'Asked from',
  noLocation: 'It has no Location to be asked from.',
  refused: (reason: string) => `It could not be asked: ${reason}`,
  failed: (result: string) => `No answer to choose from: ${result}`,
  incomplete: 'The list may be incomplete: the device did not answer about everything in time.',
  found: (name: string, interfaces: number, values: number) =>
    `${name === '' ? 'The device' : name} has ${count(interfaces)} ${interfaces === 1 ? 'interface' : 'interfaces'} and ${count(values)} known ${values === 1 ? 'value' : 'values'}.`,
  search: 'Name, alias or label contains',
  upOnly: 'Up now',
  withAlias: 'Has an alias',
  interfaces: (chosen: number) => `Interfaces, ${count(chosen)} chosen`,
  values: (chosen: number) => `Values, ${count(chosen)} chosen`,
  head: { name: 'Interface', alias: 'Alias', status: 'Status', speed: 'Speed', in: 'In', out: 'Out' },
  valueHead: { label: 'Value', now: 'Now', group: 'Kind', object: 'Object' },
  watch: (name: string) => `Watch ${name}`,
  shut: 'shut by an administrator',
  noMatch: 'Nothing matches.',
  full: (max: number) => `At most ${count(max)} can be watched.`,
  typing: 'The list in the form is not complete; correct it there first.',
  unnamed: (index: number) => `no name, index ${index}`,
} as const;

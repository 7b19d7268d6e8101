import type { AxisMark } from '../../model/axis-marks.ts';
import { count } from '../../model/format.ts';

/** Texts of the marks of a device. */
export const marksTexts = {
  head: 'Marks',
  all: (n: number) => `All ${count(n)}`,
  kinds: {
    Change: 'Changes',
    Deployment: 'Deployments',
    Note: 'Notes',
    Maintenance: 'Maintenance',
    Restart: 'Restarts',
    Error: 'First errors',
  } as const satisfies Record<AxisMark['kind'], string>,
  names: {
    Change: 'change',
    Deployment: 'deployment',
    Note: 'note',
    Maintenance: 'maintenance',
    Restart: 'restart',
    Error: 'first error',
  } as const satisfies Record<AxisMark['kind'], string>,
  none: 'Nothing was changed, deployed or noted in this time range.',
  more: 'Older marks of this time range are not shown; choose a shorter range.',
  add: 'Add a note',
  addTitle: (name: string) => `Add a mark: ${name}`,
  kind: 'Kind',
  choices: [
    ['Note', 'Note'],
    ['Deployment', 'Deployment'],
    ['Change', 'Change'],
  ] as const,
  text: 'What happened',
  at: 'When',
  link: 'Link',
  linkHint: 'Optional: an address with more, for example a ticket.',
  save: 'Add',
  remove: 'Delete',
  removeTitle: 'Delete this mark',
  removeAsk: (text: string) => `“${text}” is deleted from the time axis of all its devices.`,
  created: (by: string) => `${by} added the device`,
  changed: (by: string, what: string) => `${by} changed ${what}`,
  from: (field: string, before: string, after: string) => `${field} from ${before} to ${after}`,
  maintenance: (reason: string, until: string) =>
    `Maintenance${reason === '' ? '' : ` “${reason}”`} until ${until}`,
  bySchedule: 'schedule',
  by: (name: string) => `by ${name}`,
  open: 'open link',
  firstError: (result: string) => `First error${result === '' ? '' : `: ${result}`}`,
  showHere: 'Show on the axis',
} as const;

import { dayParts } from '../model/day.ts';
import { count } from '../model/format.ts';
import { devicesOf } from './counted.ts';

/** Texts of the list of devices. */
export const devicesTexts = {
  devices: {
    title: 'Devices',
    filter: 'Filter',
    filterHint: 'status:down tag:berlin/* method:ping location:Oslo "text"',
    all: 'All devices',
    tags: 'Tags',
    noTags: 'Tags with paths, like berlin/rack-3, make a tree here.',
    counted: (n: number) => devicesOf(n),
    soFar: (n: number) => `${devicesOf(n)} so far`,
    columns: {
      status: 'Status, since',
      device: 'Device',
      method: 'Method',
      day: 'Last 24 hours',
      last: 'Last',
      location: 'Location',
      tag: 'Tag',
    },
    dayOf: (parts: number) =>
      parts === 0
        ? 'not Down in the last 24 hours'
        : `Down within ${count(parts)} of the last ${dayParts} periods of 20 minutes`,
    add: 'Add a device',
    none: 'No device matches this filter.',
    unknownField: (words: string) => `The filter does not know ${words}`,
    wider: 'Show all devices',
    empty: 'There is no device yet.',
    behind: (master: string) => `behind ${master}`,
    select: (name: string) => `select ${name}`,
    selectAll: (n: number) => `select all ${count(n)} that match`,
    selection: 'Selected devices',
    selected: (n: number) => `${devicesOf(n)} selected`,
    allMatching: (n: number) => `All ${count(n)} that match`,
    clear: 'Clear',
    pause: 'Pause',
    resume: 'Resume',
    maintenance: 'Maintenance',
    tag: 'Tag',
    tagField: 'Tag; a path makes a branch: berlin/rack-3',
    remove: 'Delete',
    report: 'Report',
    undo: 'Undo',
    undoHint: 'You can undo it for 10 s afterwards.',
    preview: {
      devices: 'Devices',
      of: (n: number, filter: string | undefined) =>
        filter === undefined ? `${count(n)} chosen` : `all ${count(n)} that match ${filter}`,
      among: 'Now',
      states: (down: number, maintenance: number) =>
        [
          down === 0 ? 'none is Down' : `${count(down)} Down`,
          maintenance === 0 ? '' : `${count(maintenance)} in maintenance`,
        ]
          .filter((part) => part !== '')
          .join(', '),
      unchanged: 'Not changed',
      same: {
        maintenance: (n: number) => `${devicesOf(n)} already in maintenance`,
        pause: (n: number) => `${devicesOf(n)} already paused`,
        resume: (n: number) => `${devicesOf(n)} not paused`,
        tag: (n: number) => `${devicesOf(n)} with this tag already`,
        remove: () => '',
      },
    },
    changing: (done: number, of: number) => `${count(done)} of ${count(of)}`,
    done: (n: number, refused: number, reason = '') =>
      `${devicesOf(n)} changed${refused > 0 ? `, ${count(refused)} refused: ${reason}` : ''}`,
    ask: {
      tag: (n: number) => `Give this tag to ${devicesOf(n)}? Their other tags stay.`,
      pause: (n: number) =>
        `Pause ${devicesOf(n)}? They are not checked and notify nobody until somebody resumes them.`,
      resume: (n: number) => `Resume ${devicesOf(n)}? They are checked again.`,
      maintenance: (n: number) =>
        `Start maintenance of ${devicesOf(n)} for one hour? They notify nobody meanwhile.`,
      remove: (n: number) => `Delete ${devicesOf(n)} with their checks and events? This cannot be undone.`,
    },
    act: {
      tag: (n: number) => `Tag ${devicesOf(n)}`,
      pause: (n: number) => `Pause ${devicesOf(n)}`,
      resume: (n: number) => `Resume ${devicesOf(n)}`,
      maintenance: (n: number) => `Start maintenance of ${devicesOf(n)}`,
      remove: (n: number) => `Delete ${devicesOf(n)}`,
    },
    typeCount: (n: number) => `Type ${n} to delete them`,
    cancel: 'Cancel',
    keys: 'move, select, open, all keys',
  },
} as const;

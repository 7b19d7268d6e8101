/** Keys that work on some screens. */
interface KeyGroup {
  readonly title: string;
  readonly on: RegExp;
  /** The key, what it does, and the right that it needs. */
  readonly keys: readonly (readonly [key: string, what: string, needs?: 'operate' | 'write'])[];
}

/** Texts of the list of keyboard shortcuts. */
export const keyListTexts = {
  title: 'Keys',
  close: 'Close',
  switch: 'Keyboard shortcuts with single letters',
  /** Keys by the screens on which they work: those whose address `on` matches. */
  groups: [
    {
      title: 'Everywhere',
      on: /^/,
      keys: [
        ['Ctrl K', 'Search or do anything'],
        ['g o · g d · g a', 'Overview, Devices, Alerts'],
        ['g l · g s · g r', 'Locations, Schedules, Reports'],
        ['c', 'Add a device', 'write'],
        ['z', 'Undo the last change, for 10 s'],
        ['Esc', 'Back, close, clear'],
        ['?', 'These keys'],
      ],
    },
    {
      title: 'This list',
      on: /^\/(devices|alerts.*)$/,
      keys: [
        ['j · k', 'Next row, row before'],
        ['Enter', 'Open'],
        ['x', 'Select', 'operate'],
        ['Ctrl a', 'Select all that match', 'operate'],
      ],
    },
    {
      title: 'The filter and the tree',
      on: /^\/devices$/,
      keys: [
        ['/', 'Filter'],
        ['↑ · ↓', 'Choose a suggestion; move in the tree of tags'],
        ['← · →', 'Close and open a branch; move in the toolbar'],
        ['J · K', 'Select the next row too, the row before too', 'operate'],
      ],
    },
    {
      title: 'The causes',
      on: /^\/$/,
      keys: [['j · k', 'Next cause, cause before']],
    },
    {
      title: 'The row or cause with the focus',
      on: /^\/(devices)?$/,
      keys: [
        ['e', 'Acknowledge', 'operate'],
        ['s', 'Snooze for 1 h', 'operate'],
        ['m', 'Start or end maintenance', 'operate'],
        ['r', 'Check now', 'operate'],
        ['i', 'Edit', 'write'],
      ],
    },
    {
      title: 'An opened alert',
      on: /^\/alerts/,
      keys: [
        ['e', 'Acknowledge', 'operate'],
        ['s', 'Snooze for 1 h', 'operate'],
      ],
    },
    {
      title: 'This device',
      on: /^\/devices\/[0-9a-f]+$/,
      keys: [
        ['r', 'Check now', 'operate'],
        ['m', 'Start or end maintenance', 'operate'],
        ['i', 'Edit', 'write'],
        ['[ · ]', 'Time range before, after'],
        ['+ · -', 'Zoom in, out'],
        ['← · →', 'Move the cursor of the axis; with Shift to the next mark'],
        ['y', 'Copy the link to this time range'],
        ['n', 'Add a note', 'operate'],
        ['t', 'Trace the path now', 'operate'],
      ],
    },
    {
      title: 'Reports',
      on: /^\/reports$/,
      keys: [['[ · ]', 'Previous, next']],
    },
  ] satisfies readonly KeyGroup[] as readonly KeyGroup[],
} as const;

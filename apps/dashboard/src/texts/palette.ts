/** Texts of the palette and of the list of keys. */
export const paletteTexts = {
  palette: {
    title: 'Search or do',
    none: 'Nothing matches.',
    go: (screen: string) => `Go to ${screen}`,
    maintenance: 'Go to Maintenance',
    contacts: 'Go to Contacts',
    wall: 'Show the wall',
    hint: 'Device, Location or command',
  },
  keys: {
    title: 'Keys',
    close: 'Close',
    switch: 'Keyboard shortcuts with single letters',
    /** Keys by the screens on which they work. */
    groups: [
      {
        title: 'Everywhere',
        keys: [
          ['Ctrl K', 'Search or do anything'],
          ['g o · g d · g a', 'Overview, Devices, Alerts'],
          ['g l · g s · g r', 'Locations, Schedules, Reports'],
          ['c', 'Add a device'],
          ['z', 'Undo the last change, for 10 s'],
          ['Esc', 'Back, close, clear'],
          ['?', 'These keys'],
        ],
      },
      {
        title: 'Devices and Alerts',
        keys: [
          ['j · k', 'Next row, row before'],
          ['Enter', 'Open'],
          ['x', 'Select'],
          ['Ctrl a', 'Select all that match'],
          ['/', 'Search, in Devices'],
          ['J · K', 'Select the next row too, the row before too, in Devices'],
        ],
      },
      {
        title: 'An opened alert',
        keys: [
          ['e', 'Acknowledge'],
          ['s', 'Snooze for 1 h'],
        ],
      },
      {
        title: 'A device',
        keys: [
          ['r', 'Check now'],
          ['m', 'Start or end maintenance'],
          ['i', 'Edit'],
        ],
      },
      {
        title: 'Reports',
        keys: [['[ · ]', 'Previous, next']],
      },
    ] as const,
  },
} as const;

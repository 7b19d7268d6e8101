import { count } from '../../model/format.ts';

/** Texts of the screen with the secrets of the account. */
export const secretTexts = {
  name: 'Secrets',
  title: (n: number) => (n === 1 ? '1 secret' : `${count(n)} secrets`),
  about:
    'Passwords and tokens that devices use by name. The value is stored encrypted and never shown again; agents get it with their checks.',
  none: 'There is no secret yet.',
  noRights: 'A key or person that is limited to tags does not see secrets.',
  add: 'Add a secret',
  changed: (age: string) => `value set ${age} ago`,
  reference: (name: string) => `\${secret:${name}}`,
  inDevices: 'In the URL and the Options of a device',
  inScripts: 'In a script',
  scriptReference: (name: string) => `secret("${name}")`,
  users: 'Used by',
  unused: 'No device uses it.',
  moreUsers: (n: number) => `These are the first ${count(n)}; there may be more.`,
  form: {
    name: 'Name',
    nameHint: 'Up to 100 letters, digits, _ . and -. It cannot be changed later.',
    value: 'Value',
    newValue: 'New value',
    valueHint: 'It is not shown again. Values shorter than 3 characters cannot be masked in results.',
    newHint: 'Agents use it within seconds. The previous value is lost.',
    show: 'Show the value, and allow several lines',
    create: 'Add the secret',
    save: 'Set the new value',
  },
  remove: 'Delete this secret',
  removeAsk: (name: string) => `Delete ${name}? Its value is lost. This cannot be undone.`,
} as const;

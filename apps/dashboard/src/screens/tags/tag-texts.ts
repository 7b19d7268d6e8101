import { count } from '../../model/format.ts';
import { devicesOf } from '../../texts/counted.ts';

/** Texts of the screen with all tags. */
export const tagTexts = {
  name: 'Tags',
  title: (n: number) => (n === 1 ? '1 tag' : `${count(n)} tags`),
  about:
    'Tags group devices for filters, reports, status pages, maintenance and rights. A name with / is a branch: berlin/core is below berlin.',
  none: 'There is no tag yet. Add one here, or type its name in the form of a device.',
  noMatch: (text: string) => `No tag contains “${text}”.`,
  more: (n: number) => `${count(n)} more tags match. Type a longer part of the name.`,
  filter: 'Part of a name',
  add: 'Add a tag',
  devices: devicesOf,
  unused: 'no device',
  down: (n: number) => `${count(n)} Down`,
  form: {
    name: 'Name',
    hint: 'Reports, status pages, keys and people that use the tag keep it under its new name.',
    newHint: 'Devices get it in their form, or by a bulk change of the list.',
    create: 'Add the tag',
    save: 'Save',
    conflict: 'Nothing was saved, because the tag was changed by someone else. Close and open it again.',
  },
  members: 'Devices with this tag',
  all: (n: number) => `All ${devicesOf(n)} in the list`,
  remove: 'Delete this tag',
  removeAsk: (name: string, n: number) =>
    n === 0
      ? `Delete ${name}? No device has it. This cannot be undone.`
      : `Delete ${name}? ${devicesOf(n)} ${n === 1 ? 'loses' : 'lose'} it and ${n === 1 ? 'stays' : 'stay'}. This cannot be undone.`,
} as const;

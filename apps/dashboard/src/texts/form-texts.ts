import { count } from '../model/format.ts';

/** Texts of forms, on several screens. */
export const formTexts = {
  cancel: 'Cancel',
  clear: 'Clear',
  copy: 'Copy',
  copied: 'Copied',
  close: 'Close',
  unknownTags: (words: readonly string[]) =>
    `There is no tag ${words.join(', ')}. Write names in full, or a branch with /* at its end.`,
  search: {
    loading: 'Still loading …',
    noMatch: 'Nothing matches.',
    unchosen: (text: string) => `“${text}” is not chosen. Choose from the list, or clear the field.`,
    moreMatches: (n: number) => `${count(n)} more match. Type more letters.`,
    takeOut: (name: string) => `Remove ${name}`,
    findLocation: 'Find a Location',
  },
  drafts: {
    title: 'Leave without saving?',
    ask: 'Your changes are not saved. They stay in this form until you sign out or close this tab.',
    stay: 'Stay',
    leave: 'Leave',
    discard: 'Discard my changes',
    viewOnly:
      'You are signed in with a key or person that can only view, so this form cannot be saved. Your texts are kept.',
    kept: 'Your unsaved changes are here.',
    overlaid: 'Something else was saved meanwhile. Saving replaces it with what you see.',
  },
} as const;

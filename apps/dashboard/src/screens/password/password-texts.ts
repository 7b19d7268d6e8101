/** Texts of the screen on which a person changes the own password. */
export const passwordTexts = {
  title: 'Change password',
  about: (name: string) => `The password of ${name}. All other sessions end, on other browsers and devices.`,
  none: 'You are signed in with a key or by single sign-on, so there is no password to change here.',
  present: 'Present password',
  next: 'New password',
  hint: 'At least 12 characters.',
  again: 'The new password again',
  differs: 'The two new passwords differ.',
  save: 'Change the password',
  saved: 'The password is changed. Your other sessions have ended.',
} as const;

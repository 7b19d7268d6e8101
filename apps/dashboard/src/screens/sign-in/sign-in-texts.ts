/** Texts of the sign-in. */
export const signInTexts = {
  key: 'API key',
  button: 'Sign in',
  localHint:
    'The first start of Vantage prints the keys. Later they are in first-run.json in its data folder.',
  hint: 'An admin of Vantage gives you a key, or invites you by your e-mail address.',
  certificate:
    'If your browser warned about the certificate: Vantage made it itself. It is the right one if its SHA-256 fingerprint is the one that the start prints.',
  forgotten: 'Forgot your password?',
  wrong: 'Key, name or password is wrong, or the key has ended.',
  unreachable: 'The controller does not answer. Try again in a moment.',
  ended: 'Your session has ended. Sign in to continue where you were.',
  leftOpen:
    'The controller did not answer, so your session may still be open. Reload this page when the controller answers: that ends the session.',
  empty: 'Paste a key, or enter your e-mail address and password.',
  more: 'Sign in with e-mail and password',
  name: 'E-mail address, or the name that goes with the key',
  password: 'Password',
  choose: 'You belong to several accounts. Choose one.',
  provider: 'Sign in with single sign-on',
} as const;

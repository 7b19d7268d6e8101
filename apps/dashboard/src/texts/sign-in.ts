/** Texts of the sign-in. */
export const signInTexts = {
  signIn: {
    title: 'Sign in',
    key: 'API key',
    button: 'Sign in',
    hint: 'npm start shows the keys at its first start; later they are in first-run.json of the data folder.',
    wrong: 'Key, name or password is wrong, or the key has ended.',
    unreachable: 'The controller does not answer. Try again in a moment.',
    ended: 'Your session has ended. Sign in and go on where you were.',
    leftOpen:
      'The controller did not answer, so your session may still be open. Reload this page when it answers: that ends the session.',
    notSent: 'Nothing was sent, because nobody was signed in. Try again.',
    empty: 'Paste a key, or enter your e-mail address and password.',
    more: 'Sign in with e-mail and password',
    name: 'E-mail address, or the name that goes with the key',
    password: 'Password',
    choose: 'You are in several accounts. Choose one.',
    provider: 'Sign in with single sign-on',
  },
} as const;

/** Texts of what is being read, or could not be. */
export const problemTexts = {
  loading: 'Loading',
  title: 'This could not be read',
  unreachable: 'The controller does not answer.',
  code: (code: number) => `Code ${code}`,
  retry: 'Try again',
  notFound: 'Not found, or you have no access.',
  deleted: 'It was deleted.',
  notAgain: (why: string) => `This could not be read again: ${why.replace(/[.!?]?$/, '.')}`,
  /** Before the age of what is shown, and after it. */
  shownFrom: 'What is shown is from',
  before: 'ago.',
} as const;

import { expect, test } from 'vitest';
import { messagesPage } from './messages-page.ts';

test('docs/gen/messages.md has each message as each channel sends it (npm run gen:docs)', async () => {
  await expect(await messagesPage()).toMatchFileSnapshot('../../../../../../docs/gen/messages.md');
});

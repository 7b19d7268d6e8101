import { expect, test } from 'vitest';
import { messagesPage } from './testing/messages-page.ts';

test('docs/messages.md has each message as each channel sends it (npm run generate:messages)', async () => {
  await expect(await messagesPage()).toMatchFileSnapshot('../../../../../docs/messages.md');
});

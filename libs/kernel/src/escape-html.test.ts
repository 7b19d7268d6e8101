import { expect, test } from 'vitest';
import { escapeHtml } from './escape-html.ts';

test('a text cannot leave an element or an attribute', () => {
  expect(escapeHtml(`<img src=x onerror='a("&amp;")'>`)).toBe(
    '&lt;img src=x onerror=&#39;a(&quot;&amp;amp;&quot;)&#39;&gt;',
  );
});

import type { StatusPage } from '../../store/status-pages.ts';
import { statusPageTexts as say } from './status-page-texts.ts';

/** The link to the page as its readers see it. */
export function PublicLink({ page: { Address, Name } }: { readonly page: StatusPage }) {
  return (
    <a class="link" href={Address} target="_blank" rel="noopener">
      {say.open}
      <span class="hidden">
        {' '}
        {Name} {say.opensNew}
      </span>
    </a>
  );
}

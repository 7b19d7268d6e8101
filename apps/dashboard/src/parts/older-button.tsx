import { listTexts as say } from '../texts/list-texts.ts';
import { FailureNotice } from './notice.tsx';
import type { PagedList } from './use-pages.ts';

/** Loads older rows of a list; absent if there are none. */
export function OlderButton({ list }: { readonly list: PagedList<unknown> }) {
  if (list.olderProblem !== undefined)
    return <FailureNotice problem={list.olderProblem} retry={list.loadOlder} />;
  if (!list.hasMore) return null;
  return (
    <p>
      <button type="button" class="button" onClick={list.loadOlder}>
        {say.older}
      </button>
    </p>
  );
}

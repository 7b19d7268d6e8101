import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { mayWrite } from '../store/credential.ts';
import { planTexts } from '../texts/plan.ts';
import { Heading } from './heading.tsx';
import { PlanTabs } from './plan-tabs.tsx';
import { ReadState } from './read-state.tsx';
import { useRead } from './use-read.ts';

/** The page of one schedule or contact of a plan, by the id `new` of a new one: read, refused, failed or shown. */
export function PlanPage<Opened extends { readonly etag: string | undefined }>({
  id,
  title,
  addTitle,
  read,
  children,
}: {
  readonly id: string;
  /** The heading while nothing can be shown. */
  readonly title: string;
  readonly addTitle: string;
  readonly read: (id: string) => Promise<Opened>;
  /** `key` is another one after each change, so that a form begins anew. */
  readonly children: (opened: Opened, again: () => void, key: string) => ComponentChildren;
}) {
  const found = useRead(() => read(id), [id]);
  const { data, again } = found;
  // A link may have led here. Who signs in again with fewer rights keeps the text.
  const [isAllowed] = useState(mayWrite.value || id !== 'new');
  return (
    <div class="page">
      <PlanTabs />
      {!isAllowed && (
        <>
          <Heading>{addTitle}</Heading>
          <p>{planTexts.noRights}</p>
        </>
      )}
      {isAllowed && <ReadState read={found} title={title} />}
      {isAllowed && data !== undefined && children(data, again, data.etag ?? id)}
    </div>
  );
}

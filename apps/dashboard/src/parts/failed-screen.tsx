import { Heading } from './heading.tsx';
import { FailureNotice } from './notice.tsx';

/** A screen whose facts could not be read: its heading, then the failure. */
export function FailedScreen({
  title,
  problem,
  retry,
}: {
  readonly title: string;
  readonly problem: unknown;
  readonly retry: () => void;
}) {
  return (
    <>
      <Heading>{title}</Heading>
      <FailureNotice problem={problem} retry={retry} />
    </>
  );
}

import { Heading } from './heading.tsx';
import { Failure } from './notice.tsx';

/** A screen whose facts could not be read: its heading, and the failure under it. */
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
      <Failure problem={problem} retry={retry} />
    </>
  );
}

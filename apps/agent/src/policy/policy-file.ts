import { messageOf } from '@vantage/kernel';
import { type AgentPolicy, policyOf } from './agent-policy.ts';
import { fileSchema } from './policy-schema.ts';

/** The policy, or all problems of its file. */
export type PolicyResult =
  | { readonly ok: true; readonly policy: AgentPolicy }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads the text of the policy file. Without a file the policy allows everything except cloud metadata addresses. */
export function loadPolicy(text: string | undefined): PolicyResult {
  if (text === undefined) return { ok: true, policy: policyOf({}) };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { ok: false, problems: [`the policy file is not JSON: ${messageOf(error)}`] };
  }
  const parsed = fileSchema.safeParse(json);
  if (parsed.success) return { ok: true, policy: policyOf(parsed.data) };
  const problems = parsed.error.issues.map(
    (issue) => `policy file, ${issue.path.join('.') || 'top'}: ${issue.message}`,
  );
  return { ok: false, problems };
}

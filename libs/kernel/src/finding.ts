/** One finding of a doctor. A warning limits the program; a fault stops it. */
export type Finding<Step extends string = string> =
  | { readonly level: 'ok'; readonly step: Step; readonly text: string }
  | {
      readonly level: 'warning' | 'fault';
      readonly step: Step;
      readonly text: string;
      readonly remedy: string;
    };

const levelTexts = { ok: 'ok     ', warning: 'WARNING', fault: 'FAULT  ' } as const;

/** The findings for people, a line each; the remedy follows below a warning or fault. */
export function findingsText(findings: readonly Finding[]): string {
  return findings
    .map((finding) => {
      const line = `${levelTexts[finding.level]} ${finding.step}: ${finding.text}`;
      return finding.level === 'ok' ? line : `${line}\n        ${finding.remedy}`;
    })
    .join('\n');
}

/** The exit status of a doctor: 0 when nothing stops the program, else 1. */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 {
  return findings.some(({ level }) => level === 'fault') ? 1 : 0;
}

export { problemsOf, warningsOf } from './own-problems.ts';
export { createProblems } from './problems.ts';

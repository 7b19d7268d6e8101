import { defineConfig } from 'vite';

/**
 * One file has all that several screens share: a request for each small part costs more than the parts that a screen
 * does not need. The styles of plain elements, which name the order of the layers, stand before all others.
 */
const groups = [
  { name: 'common', test: /\/style\/\w+\.css$/, priority: 1 },
  // Four screens show agents, and the first one of a visit is none of them.
  {
    name: 'common',
    test: /^(?!.*\/(screens\/(locations|rollouts|quarantine)\/|model\/fleet))/,
    minShareCount: 4,
  },
];

/**
 * JSX becomes calls of Preact. Nothing is inlined, because the page's policy admits files of this server only. All
 * styles are one sheet, which is there before the first screen: no later screen waits for a sheet of its own.
 */
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups } } },
    emptyOutDir: true,
  },
});

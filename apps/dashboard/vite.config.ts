import { defineConfig } from 'vite';

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
    emptyOutDir: true,
  },
});

import { defineConfig } from 'vite';

/** JSX becomes calls of Preact. Nothing is inlined, because the page's policy admits files of this server only. */
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    reportCompressedSize: false,
    emptyOutDir: true,
  },
});

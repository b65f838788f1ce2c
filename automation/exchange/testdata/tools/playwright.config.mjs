// Runs exported tests in the browser that is installed.
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: process.env.REPRISE_TESTS,
  outputDir: process.env.REPRISE_TESTS + '/results',
  reporter: 'line',
  timeout: 240000, // what is measured is that it works, on a busy machine too
  use: {
    launchOptions: {
      executablePath: process.env.REPRISE_CHROME,
      args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
    },
  },
});
